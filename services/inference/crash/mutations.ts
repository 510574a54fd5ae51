import { type LedgerStatements, ledgerStatements } from '../src/ledger/pg-ledger-statements.ts'
import type { LedgerTiming } from '../src/start-ledger.ts'
import { type JobHoldStatements, jobHoldStatements } from '../src/training-money/pg-job-hold-statements.ts'

/** A ledger without one of its safeguards. The harness must detect it. */
export interface Mutation {
  readonly what: string
  readonly statements: LedgerStatements
  readonly jobStatements: JobHoldStatements
  readonly timing: Partial<LedgerTiming>
  /** The spill loses what a request without a row is charged by. */
  readonly forgetsBlocks: boolean
  /** The answer is delivered before its charge is committed. */
  readonly acksBeforeSettle: boolean
  /** A question to a judge that is repeated is another one. */
  readonly forgetsJudgements: boolean
  /** Constraints of the database that would hide the missing safeguard. They are removed as well. */
  readonly dropGuards: readonly string[]
}

const walletChecks = [
  'ALTER TABLE wallet DROP CONSTRAINT wallet_balance_check',
  'ALTER TABLE wallet DROP CONSTRAINT wallet_held_check',
]

const jobChecks = [
  'ALTER TABLE billing_request DROP CONSTRAINT billing_request_taken_check',
  'ALTER TABLE billing_request DROP CONSTRAINT billing_request_hold_check',
]

/** The ledger as it ships. */
export const unmutated: Mutation = {
  what: 'the ledger as it ships',
  statements: ledgerStatements,
  jobStatements: jobHoldStatements,
  timing: {},
  forgetsBlocks: false,
  acksBeforeSettle: false,
  forgetsJudgements: false,
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
  'no-budget-guard': {
    ...unmutated,
    what: 'a hold does not look whether its budgets cover it',
    statements: {
      ...ledgerStatements,
      holdBudgeted: without(ledgerStatements.holdBudgeted, 'WHERE $3::bigint <= excluded.amount - b.spent - b.held'),
    },
    dropGuards: ['ALTER TABLE budget_window DROP CONSTRAINT budget_window_amounts_check'],
  },
  'spill-without-block': {
    ...unmutated,
    what: 'a spilled settle does not say what it is charged by',
    forgetsBlocks: true,
  },
  'block-without-lock': {
    ...unmutated,
    what: 'wallets and blocks are written from values that were read without their lock',
    statements: {
      ...ledgerStatements,
      openBlock: without(ledgerStatements.openBlock, 'FOR NO KEY UPDATE'),
      carve: without(ledgerStatements.carve, 'FOR NO KEY UPDATE'),
      book: without(ledgerStatements.book, 'FOR NO KEY UPDATE'),
    },
    dropGuards: walletChecks,
  },
  'silent-late-charge': {
    ...unmutated,
    what: 'a settle whose block was sealed writes no row',
    statements: {
      ...ledgerStatements,
      drawLate: `SELECT least($4::bigint, $5::bigint) AS cost, 0 AS write_off FROM wallet WHERE workspace_id = $2::uuid
        AND num_nonnulls($1::uuid, $3::uuid, $6::text, $7::text, $8::text, $9::uuid, $10::date) > 0`,
    },
  },
  'row-without-block': {
    ...unmutated,
    what: 'a request whose block was sealed believes that it has a row of its own',
    statements: {
      ...ledgerStatements,
      carve: without(ledgerStatements.carve, 'WHERE known IS NOT NULL OR carved.hold IS NOT NULL'),
    },
  },
  'old-block': {
    ...unmutated,
    what: 'a process that was stopped holds from a block that others have sealed',
    timing: { blockUsableMs: 600_000 },
  },
  'charge-to-sealed-block': {
    ...unmutated,
    what: 'a charge does not look whether its block is open',
    statements: {
      ...ledgerStatements,
      draw: without(ledgerStatements.draw, "AND state::text = 'open'"),
      drawOne: without(ledgerStatements.drawOne, "AND state::text = 'open'"),
      drawAlike: without(ledgerStatements.drawAlike, "AND state::text = 'open'"),
    },
  },
  'job-without-lock': {
    ...unmutated,
    what: 'a charge of a job reads its hold without locking it',
    jobStatements: { ...jobHoldStatements, charge: without(jobHoldStatements.charge, 'FOR NO KEY UPDATE OF b') },
    dropGuards: [...walletChecks, ...jobChecks],
  },
  'job-charged-again': {
    ...unmutated,
    what: 'a charge of a job does not look what the job was charged before',
    jobStatements: {
      ...jobHoldStatements,
      charge: without(jobHoldStatements.charge, '- job_cost, 0', ', 0'),
    },
    dropGuards: [...walletChecks, ...jobChecks],
  },
  'job-forgets-late-costs': {
    ...unmutated,
    what: 'a cost of a job whose hold was swept is not charged',
    jobStatements: {
      ...jobHoldStatements,
      charge: without(jobHoldStatements.charge, "mine.state <> 'posted'", "mine.state = 'open'"),
    },
  },
  'judged-again': {
    ...unmutated,
    what: 'a judge of a run that is asked again is paid again',
    forgetsJudgements: true,
  },
  'job-continues-from-zero': {
    ...unmutated,
    what: 'the next hold of a job does not know what the job has cost',
    jobStatements: {
      ...jobHoldStatements,
      hold: without(jobHoldStatements.hold, 'coalesce(max(job_cost), 0)', '0::bigint'),
    },
  },
}

/** The statement with another text instead of one of its parts, which must occur exactly once. */
function without(statement: string, part: string, instead = ''): string {
  const pieces = statement.split(part)
  if (pieces.length !== 2)
    throw new Error(`expected ${part} once in the statement, found it ${pieces.length - 1} times`)
  return pieces.join(instead)
}
