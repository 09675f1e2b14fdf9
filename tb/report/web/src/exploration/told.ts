import type {Violation} from '../meta';

/// The first sentence of `why` is the message, with steps in the place of times.
export function told(violation: Violation): Violation {
  const [message = violation.message, ...why] = violation.why ?? [];
  return {...violation, message, why};
}
