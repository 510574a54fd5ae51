import type { Identity } from '@ratchet/contracts/identity'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'

/** Texts of an imported grade in which secrets may stand. */
export interface GradedTexts extends Pick<JudgedExchange, 'messages' | 'response' | 'tools'> {
  readonly rationale: string | null
}

/**
 * Gives documents without their secrets, as the log keeps what it stores, in their order.
 *
 * @param documents JSON texts of objects
 * @returns null for one that cannot be redacted
 * @throws FleetCallError when nothing is certain: ask again later
 */
export type Redact = (identity: Identity, documents: readonly string[]) => Promise<readonly (string | null)[]>
