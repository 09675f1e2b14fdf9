import {unpackText} from '../bytes';
import {takeData} from '../ready';

import type {Runs} from './runs';

/// What campaign.json holds.
export interface CampaignResult {
  constraints: string;
  policy: string;
  kmd: string;
  set: string[];
  first_seed: number;
  runs: number;
  complete: boolean;
  failed: number;
  reference?: {
    statements: Record<
        string,
        {
          fixed: number;
          sets: number;
          open: number
        }>;
    silent: {reason: string; runs: number}[];
  };
  searches?: Record<string, number>;
  failures: Failure[];
}

/// Failures with one cause and shape.
export interface Failure {
  cause: string;
  reason: string;
  rule: string;
  runs: number;
  seeds: number[];
  scenario: string;     ///< file in the folder of the campaign
  shrink_runs: number;  ///< 0: it was not made small
}

export interface Finding {
  command: string;
  document: string;  ///< of the scenario
  counterexample: string;
}

export interface Coverage {
  runs: number;
  groups: {
    name: string; meaning: string; hit: number; all: number;
    points: [string, number][];  ///< name and runs
  }[];
  features: {name: string; with: number[]}[];  ///< runs with each of the features
}

export interface Campaign {
  result: CampaignResult;
  command: string;  ///< makes a run again, without its seed; empty: it depends on other runs
  findings: Finding[];
  runs: Runs;
  coverage: Coverage|null;
}

interface CampaignMeta {
  format: number;
  codec: string;
  campaign: CampaignResult;
  command: string;
  findings: Finding[];
}

export async function loadCampaign(): Promise<Campaign> {
  const {meta, columns} = await takeData<CampaignMeta>();
  const [coverage, runs] =
      await Promise.all(columns.slice(0, 2).map(text => unpackText(text, meta.codec)));
  const {campaign: result, command, findings} = meta;
  return {result, command, findings, coverage: JSON.parse(coverage), runs: JSON.parse(runs)};
}
