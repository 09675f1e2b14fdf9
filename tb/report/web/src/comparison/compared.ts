import type {Run} from '../data';
import type {Section} from '../meta';
import type {Pick} from '../pick';

/// Two runs, whose rows are side by side.
export interface Compared extends Run {
  comparison: Comparison;
}

export interface Comparison {
  sections: Section[];
  differences: Difference[];
}

export interface Difference {
  change: string;
  marked: boolean;  ///< on the timeline
  a: Pick|null;     ///< null: A does not have it
  b: Pick|null;
}
