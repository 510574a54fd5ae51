import { type LedgerStatements, ledgerStatements } from '../src/ledger/pg-ledger-statements.ts'

/** A ledger without one of its safeguards. The harness must detect it. */
export interface Mutation {
  readonly what: string
  readonly statements: LedgerStatements
  /** The answer is delivered before its charge is committed. */
  readonly acksBeforeSettle: boolean
  /** Constraints of the database that would hide the missing safeguard. They are removed as well. */
  readonly dropGuards: readonly string[]
}

const walletChecks = [
  'ALTER TABLE wallet DROP CONSTRAINT wallet_balance_check',
  'ALTER TABLE wallet DROP CONSTRAINT wallet_held_check',
]

/** The ledger as it ships. */
export const unmutated: Mutation = {
  what: 'the ledger as it ships',
  statements: ledgerStatements,
  acksBeforeSettle: false,
  dropGuards: [],
}

export const mutations: Readonly<Record<string, Mutation>> = {
  'no-late-post': {
    ...unmutated,
    what: 'a settle that finds its request voided believes it is done',
    statements: {
      ...ledgerStatements,
      latePost: `SELECT request_id, $3::bigint AS cost, 0 AS write_off, 0 AS difference FROM billing_request
        WHERE request_id = $1::uuid AND wallet_id = $2::uuid AND $4::billing_state IS NOT NULL`,
    },
  },
  'ack-before-settle': { ...unmutated, what: 'the answer leaves before its charge is made', acksBeforeSettle: true },
  'no-state-guard': {
    ...unmutated,
    what: 'a settle does not look whether its request is still open',
    statements: { ...ledgerStatements, close: without(ledgerStatements.close, "AND b.state::text = 'open'") },
    dropGuards: [...walletChecks, 'DROP TRIGGER billing_request_final ON billing_request'],
  },
  'no-wallet-lock': {
    ...unmutated,
    what: 'a hold reads the wallet without locking it',
    statements: { ...ledgerStatements, hold: without(ledgerStatements.hold, 'FOR NO KEY UPDATE') },
    dropGuards: walletChecks,
  },
  'no-cap-guard': {
    ...unmutated,
    what: 'a hold does not look whether its spend cap covers it',
    statements: {
      ...ledgerStatements,
      holdCapped: without(
        ledgerStatements.holdCapped,
        'WHERE excluded.cap = 0 OR $3::bigint <= excluded.cap - c.spent - c.held',
      ),
    },
    dropGuards: ['ALTER TABLE spend_cap DROP CONSTRAINT spend_cap_cap_check'],
  },
}

/** The statement without one of its parts, which must occur exactly once. */
function without(statement: string, part: string): string {
  const pieces = statement.split(part)
  if (pieces.length !== 2)
    throw new Error(`expected ${part} once in the statement, found it ${pieces.length - 1} times`)
  return pieces.join('')
}
