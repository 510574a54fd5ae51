import type { Pool } from '@ratchet/db/connect-pool'
import { isUniqueViolation } from '@ratchet/db/is-unique-violation'
import type { PaidTopUp, TopUp, TopUpStore } from './top-ups.ts'

interface TopUpRow {
  readonly id: string
  readonly workspace_id: string
  readonly amount: string
  readonly status: TopUp['status']
  readonly created_by: string
  readonly created_at: Date
  readonly ended_at: Date | null
  readonly checkout_id: string | null
}

const columns = 'id, workspace_id, amount, status, created_by, created_at, ended_at, checkout_id'

/** A payment provider names a top-up by its id alone; what it reports is compared with the row. */
const findStatement = `SELECT ${columns} FROM top_up WHERE id = $1 AND provider = $2`

const claimStatement = `
UPDATE top_up SET payment_id = $3
WHERE id = $1 AND workspace_id = $2 AND status = 'pending' AND (payment_id IS NULL OR payment_id = $3)`

const claimedStatement = 'SELECT FROM top_up WHERE id = $1 AND workspace_id = $2 AND payment_id = $3'

export function createPgTopUps(pool: Pool): TopUpStore {
  return {
    async create({ id, workspaceId, provider, amountNano, createdBy, createdAt }) {
      const text = `
        INSERT INTO top_up (id, workspace_id, provider, amount, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6)`
      await pool.query(text, [id, workspaceId, provider, amountNano, createdBy, createdAt])
    },
    async setCheckout(id, workspaceId, checkoutId) {
      const text = "UPDATE top_up SET checkout_id = $3 WHERE id = $1 AND workspace_id = $2 AND status = 'pending'"
      await pool.query(text, [id, workspaceId, checkoutId])
    },
    async find(id, provider) {
      const [row] = (await pool.query<TopUpRow>(findStatement, [id, provider])).rows
      return row === undefined ? null : paidTopUp(row)
    },
    async list(workspaceId) {
      const text = `SELECT ${columns} FROM top_up WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC LIMIT 100`
      return (await pool.query<TopUpRow>(text, [workspaceId])).rows.map(paidTopUp)
    },
    async claimPayment(id, workspaceId, paymentId) {
      const values = [id, workspaceId, paymentId]
      await pool.query(claimStatement, values).catch((error: unknown) => {
        if (!isUniqueViolation(error)) throw error
      })
      return (await pool.query(claimedStatement, values)).rowCount === 1
    },
    async end(id, workspaceId, status, at) {
      const text = `
        UPDATE top_up SET status = $3, ended_at = $4 WHERE id = $1 AND workspace_id = $2 AND status = 'pending'`
      await pool.query(text, [id, workspaceId, status, at])
    },
    async isKnownEvent(provider, eventId) {
      const text = 'SELECT FROM payment_event WHERE provider = $1 AND event_id = $2'
      return (await pool.query(text, [provider, eventId])).rowCount === 1
    },
    async noteEvent(provider, eventId, at) {
      const text =
        'INSERT INTO payment_event (provider, event_id, received_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING'
      await pool.query(text, [provider, eventId, at])
    },
  }
}

function paidTopUp(row: TopUpRow): PaidTopUp {
  const { id, workspace_id: workspaceId, amount, status, created_by: createdBy, created_at: createdAt } = row
  const { ended_at: endedAt, checkout_id: checkoutId } = row
  return { id, workspaceId, amountNano: BigInt(amount), status, createdBy, createdAt, endedAt, checkoutId }
}
