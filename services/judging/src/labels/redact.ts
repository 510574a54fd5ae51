import type { Identity } from '@ratchet/contracts/identity'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'

/** The parts of an imported grade that may contain secrets. */
export interface GradedTexts extends Pick<JudgedExchange, 'messages' | 'response' | 'tools'> {
  readonly rationale: string | null
}

/**
 * Redacts documents as the log does.
 *
 * @param documents JSON texts of objects
 * @returns the documents in order; null for one that cannot be redacted
 * @throws FleetCallError when the logging service does not answer
 */
export type Redact = (identity: Identity, documents: readonly string[]) => Promise<readonly (string | null)[]>
