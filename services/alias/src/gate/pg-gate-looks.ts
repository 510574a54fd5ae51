import type { GateEpoch, GateLook } from '@ratchet/contracts/session-aliases'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { StoredAlias } from '../aliases/alias.ts'
import type { StoredLook } from './gate-look.ts'
import { spacedLooks } from './spaced-looks.ts'

type LookRow = Row<'gateLook', { guard: string }>

interface EpochRow {
  readonly epoch: number
  readonly first: number
  readonly last: number
  readonly looks: number
  readonly first_at: Date
  readonly last_at: Date
}

export interface FoundLooks {
  /** The newest first. */
  readonly epochs: GateEpoch[]
  /** The oldest first. */
  readonly looks: GateLook[]
}

export type GateLooks = ReturnType<typeof createPgGateLooks>

/** Epochs that are listed. */
const maxEpochs = 20
/** Epochs whose evaluations are read together. */
const maxEpochsAtOnce = 5
const maxLooks = 300
/** Time for which evaluations are stored, days: longer than the longest window of a gate. */
const storedDays = 180

/** The evaluations of gates in Postgres. */
export function createPgGateLooks(pool: Pool) {
  return {
    /** @param epoch null for the newest ones */
    async list({ id }: Pick<StoredAlias, 'id'>, epoch: number | null): Promise<FoundLooks> {
      const { rows: epochs } = await pool.query<EpochRow>(epochsStatement, [id, maxEpochs])
      const read = epochs.filter((each) => epoch === null || each.epoch === epoch).slice(0, maxEpochsAtOnce)
      const max = Math.floor(maxLooks / Math.max(1, read.length))
      const places = read.flatMap((each) => spacedLooks(each, max).map((look) => ({ epoch: each.epoch, look })))
      const { rows } = await pool.query<LookRow>(looksStatement, [id, JSON.stringify(places)])
      return { epochs: epochs.map(epochReply), looks: rows.map(lookReply) }
    },
    purge: () => pool.query(purgeStatement, [storedDays]),
  }
}

const epochsStatement = `
  SELECT epoch, min(look) AS first, max(look) AS last, count(*)::int AS looks, min(looked_at) AS first_at,
    max(looked_at) AS last_at
  FROM gate_look WHERE alias_id = $1 GROUP BY epoch ORDER BY epoch DESC LIMIT $2`

const looksStatement = `
  SELECT l.* FROM json_to_recordset($2) AS r(epoch int, look int)
  JOIN gate_look l ON l.alias_id = $1 AND l.epoch = r.epoch AND l.look = r.look ORDER BY l.epoch, l.look`

const purgeStatement = `DELETE FROM gate_look WHERE looked_at < now() - $1 * interval '1 day'`

const insertStatement = `
  INSERT INTO gate_look (alias_id, epoch, look, looked_at, state, target_scored, canary_scored, estimate, low, high,
    graded_estimate, graded_low, graded_high, margin, guard)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`

/** Stores an evaluation, in the transaction that stores its result. */
export async function insertLook(client: PoolClient, look: StoredLook): Promise<void> {
  const { aliasId, epoch, look: number, at, state, scored, difference, graded_difference: graded, margin, guard } = look
  await client.query(insertStatement, [
    aliasId,
    epoch,
    number,
    at,
    state,
    scored.target,
    scored.canary,
    ...boundsOf(difference),
    ...boundsOf(graded),
    margin,
    JSON.stringify(guard),
  ])
}

function boundsOf(difference: GateLook['difference']): readonly (number | null)[] {
  return difference === null ? [null, null, null] : [difference.estimate, ...difference.cs]
}

function lookReply(row: LookRow): GateLook {
  return {
    epoch: row.epoch,
    look: row.look,
    at: row.looked_at.toISOString(),
    state: row.state,
    scored: { target: row.target_scored, canary: row.canary_scored },
    difference: differenceOf(row.estimate, row.low, row.high),
    graded_difference: differenceOf(row.graded_estimate, row.graded_low, row.graded_high),
    margin: row.margin,
    guard: JSON.parse(row.guard) as GateLook['guard'],
  }
}

function differenceOf(estimate: number | null, low: number | null, high: number | null): GateLook['difference'] {
  return estimate === null || low === null || high === null ? null : { estimate, cs: [low, high] }
}

function epochReply({ epoch, looks, first_at: first, last_at: last }: EpochRow): GateEpoch {
  return { epoch, looks, first_at: first.toISOString(), last_at: last.toISOString() }
}
