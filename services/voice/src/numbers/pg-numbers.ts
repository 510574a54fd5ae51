import type { NumberProvider } from '@ratchet/contracts/voice/number-providers'
import type { NumberDirection } from '@ratchet/contracts/voice/numbers'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { withUniqueName } from '@ratchet/db/with-unique-name'
import type { SealedSecret } from '@ratchet/service-kit/identity/secret-box'
import { maxNumbers, type NumberKey, type NumberSettings, type StoredNumber } from './number.ts'
import type { NewNumber, NumberStore } from './number-store.ts'

/** Telephone numbers in Postgres. */
export function createPgNumbers(pool: Pool): NumberStore {
  return {
    create: (number) =>
      withUniqueName(() =>
        inTransaction(pool, async (client) => {
          const { workspaceId, id, userId, e164, provider, agentId, direction, settings, secret, at } = number
          if (!(await hasAgent(client, number))) return 'no_agent' as const
          await client.query(takeTurnStatement, [workspaceId])
          const values = [id, workspaceId, userId, e164, provider, agentId, direction, JSON.stringify(settings)]
          const { rowCount } = await client.query(createStatement, [...values, at, maxNumbers])
          if (rowCount !== 1) return 'full' as const
          await saveSecret(client, number, secret)
          return 'created' as const
        }),
      ),
    async get({ workspaceId, id }) {
      const { rows } = await pool.query<NumberRow>(getStatement, [workspaceId, id])
      return rows[0] === undefined ? null : numberOf(rows[0])
    },
    async find({ workspaceId, e164 }) {
      const { rows } = await pool.query<NumberRow>(findStatement, [workspaceId, e164])
      return rows[0] === undefined ? null : numberOf(rows[0])
    },
    async list({ workspaceId, userId, limit, offset }) {
      const [counted, { rows }] = await Promise.all([
        pool.query<{ total: number }>(countStatement, [workspaceId, userId]),
        pool.query<NumberRow>(listStatement, [workspaceId, userId, limit, offset]),
      ])
      return { total: counted.rows[0]?.total ?? 0, numbers: rows.map(numberOf) }
    },
    update: ({ workspaceId, id, version }, { agentId, agentOwner, direction, settings, secret, at }) =>
      inTransaction(pool, async (client) => {
        if (!(await hasAgent(client, { workspaceId, agentId, agentOwner }))) return 'no_agent' as const
        const values = [workspaceId, id, version, agentId, direction, JSON.stringify(settings), at]
        if ((await client.query(updateStatement, values)).rowCount !== 1) return 'changed' as const
        await client.query(forgetSecretStatement, [workspaceId, id])
        await saveSecret(client, { workspaceId, id }, secret)
        return 'updated' as const
      }),
    delete: ({ workspaceId, id }) =>
      inTransaction(pool, async (client) => {
        // No call of it can be created meanwhile.
        if ((await client.query(lockStatement, [workspaceId, id])).rowCount !== 1) return 'absent' as const
        const { rowCount } = await client.query(deleteStatement, [workspaceId, id])
        return rowCount === 1 ? ('deleted' as const) : ('in_use' as const)
      }),
    async askCheck({ workspaceId, id }) {
      await pool.query(askCheckStatement, [workspaceId, id])
    },
    async checked({ workspaceId, id }) {
      const { rows } = await pool.query<{ answered_ms: number | null; at: Date }>(checkedStatement, [workspaceId, id])
      return rows[0] === undefined ? null : { answeredMs: rows[0].answered_ms, at: rows[0].at }
    },
    async spentToday({ workspaceId, id }, beforeCallId) {
      const { rows } = await pool.query<{ spent: string }>(spentStatement, [workspaceId, id, beforeCallId])
      return BigInt(rows[0]?.spent ?? 0)
    },
  }
}

/** The agent cannot be deleted meanwhile. */
async function hasAgent(
  client: PoolClient,
  { workspaceId, agentId, agentOwner }: Pick<NewNumber, 'workspaceId' | 'agentId' | 'agentOwner'>,
): Promise<boolean> {
  if (agentId === null) return true
  return (await client.query(agentStatement, [workspaceId, agentId, agentOwner])).rowCount === 1
}

async function saveSecret(
  client: PoolClient,
  { workspaceId, id }: NumberKey,
  secret: SealedSecret | null,
): Promise<void> {
  if (secret === null) return
  const { keyId, nonce, ciphertext } = secret
  await client.query(saveSecretStatement, [id, workspaceId, keyId, Buffer.from(nonce), Buffer.from(ciphertext)])
}

const agentStatement = `
  SELECT FROM agent WHERE workspace_id = $1 AND id = $2 AND ($3::uuid IS NULL OR owner_user_id = $3)
    AND deleted_at IS NULL FOR SHARE`

/** Numbers of a workspace are created one after the other, so that none of them is one too many. */
const takeTurnStatement = `SELECT pg_advisory_xact_lock(hashtextextended('voice number ' || $1::text, 0))`

const createStatement = `
  INSERT INTO voice_number
    (id, workspace_id, owner_user_id, e164, provider, agent_id, direction, settings, created_at, updated_at)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $9
  WHERE (SELECT count(*) FROM voice_number WHERE workspace_id = $2) < $10`

const saveSecretStatement = `
  INSERT INTO voice_number_secret (id, workspace_id, key_id, nonce, ciphertext) VALUES ($1, $2, $3, $4, $5)`
const forgetSecretStatement = 'DELETE FROM voice_number_secret WHERE workspace_id = $1 AND id = $2'

const updateStatement = `
  UPDATE voice_number SET agent_id = $4, direction = $5, settings = $6, updated_at = $7, version = version + 1
  WHERE workspace_id = $1 AND id = $2 AND version = $3`

const lockStatement = 'SELECT FROM voice_number WHERE workspace_id = $1 AND id = $2 FOR UPDATE'
const deleteStatement = `
  DELETE FROM voice_number WHERE workspace_id = $1 AND id = $2 AND NOT EXISTS (
    SELECT FROM call WHERE workspace_id = $1 AND number_id = $2 AND ended_at IS NULL)`

const askCheckStatement = `
  UPDATE voice_number SET check_asked_at = now(), check_result = NULL WHERE workspace_id = $1 AND id = $2`
const checkedStatement = `
  SELECT (check_result ->> 'answered_ms')::int AS answered_ms, (check_result ->> 'at')::timestamptz AS at
  FROM voice_number WHERE workspace_id = $1 AND id = $2 AND check_result IS NOT NULL`

/** Slices that are held count in full. */
const spentStatement = `
  SELECT COALESCE(sum(CASE WHEN s.state = 'held' THEN s.amount_nano ELSE COALESCE(s.charged_nano, s.cost_nano) END), 0)::text
    AS spent
  FROM call k JOIN call_slice s ON s.call_id = k.id AND s.workspace_id = k.workspace_id
  WHERE k.workspace_id = $1 AND k.number_id = $2
    AND k.created_at >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
    AND ($3::uuid IS NULL OR (k.created_at, k.id) < (SELECT created_at, id FROM call WHERE id = $3 AND workspace_id = $1))`

export const numberColumns = `
  n.id, n.workspace_id, n.owner_user_id, n.e164, n.provider, n.agent_id, n.direction, n.settings, n.version, n.created_at,
  n.updated_at, s.key_id, s.nonce, s.ciphertext`
const shown = `${numberColumns}
  FROM voice_number n LEFT JOIN voice_number_secret s ON s.id = n.id AND s.workspace_id = n.workspace_id`

const getStatement = `SELECT ${shown} WHERE n.workspace_id = $1 AND n.id = $2`
const findStatement = `SELECT ${shown} WHERE n.workspace_id = $1 AND n.e164 = $2`
const listStatement = `SELECT ${shown} WHERE n.workspace_id = $1 AND ($2::uuid IS NULL OR n.owner_user_id = $2)
  ORDER BY n.created_at DESC, n.id DESC LIMIT $3 OFFSET $4`
const countStatement = `SELECT count(*)::int AS total FROM voice_number
  WHERE workspace_id = $1 AND ($2::uuid IS NULL OR owner_user_id = $2)`

export type NumberRow = Omit<Row<'voiceNumber'>, 'check_asked_at' | 'check_result'> & {
  readonly key_id: string | null
  readonly nonce: Buffer | null
  readonly ciphertext: Buffer | null
}

export function numberOf(row: NumberRow): StoredNumber {
  const { key_id: keyId, nonce, ciphertext } = row
  const isSealed = keyId !== null && nonce !== null && ciphertext !== null
  return {
    workspaceId: row.workspace_id,
    id: row.id,
    userId: row.owner_user_id,
    e164: row.e164,
    provider: row.provider as NumberProvider,
    agentId: row.agent_id,
    direction: row.direction as NumberDirection,
    settings: row.settings as unknown as NumberSettings,
    secret: isSealed ? { keyId, nonce: new Uint8Array(nonce), ciphertext: new Uint8Array(ciphertext) } : null,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
