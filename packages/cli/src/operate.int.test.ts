import { randomBytes, randomUUID } from 'node:crypto'
import { providerKeyPlace } from '@ratchet/contracts/provider-key'
import { webhookSecretPlace } from '@ratchet/contracts/webhook-secret'
import { ledgerInvariants } from '@ratchet/db/audit-ledger'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { parseNamedKeys } from '@ratchet/service-kit/identity/identity'
import { createSecretBox, type SecretBox } from '@ratchet/service-kit/identity/secret-box'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { recordingIo } from './recording-io.fixture.ts'
import { runCli } from './run-cli.ts'

const [oldKey, newKey, foreignKey] = ['k1', 'k2', 'k9'].map((id) => `${id}:${randomBytes(32).toString('base64')}`)

let database: FreshDatabase
let pool: Pool
let workspaceId: string

beforeEach(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 1 })
  await ratchet('create-workspace --slug acme --name Acme --owner-email ann@example.com --credit-usd 5')
  workspaceId = (await pool.query("SELECT id FROM workspace WHERE slug = 'acme'")).rows[0].id
})
afterEach(async () => {
  await pool.end()
  await database.drop()
})

async function ratchet(line: string, { keys = oldKey, piped = '' } = {}) {
  const io = { ...recordingIo({ DATABASE_URL: database.url, ENCRYPTION_KEYS: keys }, piped), randomBytes }
  const code = await runCli(['admin', ...line.split(' ')], io)
  return { code, out: io.out(), err: io.err() }
}

async function json(line: string, options?: { keys?: string; piped?: string }) {
  const { code, out } = await ratchet(`${line} --json`, options)
  return { code, ...JSON.parse(out) }
}

describe('admin audit', () => {
  it('prints that the ledger is correct', async () => {
    expect(await json('audit')).toEqual({
      code: 0,
      ok: true,
      checked: ledgerInvariants.length,
      violations: [],
      open_requests: 0,
      oldest_open_seconds: 0,
      overdue_requests: 0,
      held_usd: 0,
      written_off_usd: 0,
      training: { checked: 9, violations: [] },
      voice: { checked: 3, violations: [] },
    })
    expect((await ratchet('audit')).out).toMatch(
      new RegExp(`^the ledger is correct: ${ledgerInvariants.length} invariants hold\n\nopen requests {2}0`),
    )
  })

  it('prints every violated invariant, and exits with 1', async () => {
    await pool.query('UPDATE wallet SET balance = balance + 1 WHERE workspace_id = $1', [workspaceId])

    const { code, out } = await ratchet('audit')

    expect(code).toBe(1)
    expect(out).toMatch(new RegExp(`^the ledger is wrong: 1 of ${ledgerInvariants.length} invariants are violated\n`))
    expect(out).toMatch(new RegExp(`^balance = credit - charges +1 +${workspaceId}$`, 'm'))
    expect((await json('audit')).violations).toHaveLength(1)
  })

  it('compares training with the ledger, and exits with 1 for a job that was not charged', async () => {
    const created = await pool.query(
      `INSERT INTO training_job (id, workspace_id, status, base_model, method, trainer, seed, request, dataset_id,
         price_nano_per_mtok, total_tokens, estimated_cost_nano, cost_nano, created_by, created_at, finished_at)
       VALUES (gen_random_uuid(), $1, 'succeeded', 'm', 'supervised', 'sim', 1, '{}', $1, 1, 1, 1, 1000, $1, now(), now())
       RETURNING id`,
      [workspaceId],
    )

    const { code, out } = await ratchet('audit')

    expect(code).toBe(1)
    expect(out).toMatch(/^training is charged wrongly: 2 of 9 rules are violated$/m)
    expect(out).toContain(created.rows[0].id)
    expect(await json('audit')).toMatchObject({ ok: false, violations: [], training: { violations: [{}, {}] } })
  })
})

describe('admin reseal-secrets', () => {
  const boxOf = (keys: string | undefined): SecretBox =>
    createSecretBox({ keys: parseNamedKeys(String(keys)), randomBytes })

  /** Decrypts the secrets with these keys; null for those that they do not decrypt. */
  async function readAll(keys: string | undefined): Promise<readonly (string | null)[]> {
    const { rows } = await pool.query(`
      SELECT 0 AS place, id, workspace_id, provider, key_id, nonce, ciphertext FROM provider_key
      UNION ALL SELECT 1, id, workspace_id, NULL, key_id, nonce, ciphertext FROM webhook ORDER BY place, provider`)
    return rows.map(({ id, workspace_id, provider, key_id: keyId, nonce, ciphertext }) => {
      const key = { workspaceId: workspace_id, id, provider }
      try {
        return boxOf(keys).open(
          { keyId, nonce, ciphertext },
          provider === null ? webhookSecretPlace(key) : providerKeyPlace(key),
        )
      } catch {
        return null
      }
    })
  }

  async function addWebhook(keys: string | undefined, secret: string): Promise<void> {
    const id = randomUUID()
    const { keyId, nonce, ciphertext } = boxOf(keys).seal(secret, webhookSecretPlace({ workspaceId, id }))
    await pool.query(
      `INSERT INTO webhook (id, workspace_id, url, events, ciphertext, nonce, key_id, created_by, created_at, updated_at)
       VALUES ($1, $2, 'https://example.com', '{}', $3, $4, $5, $1, now(), now())`,
      [id, workspaceId, Buffer.from(ciphertext), Buffer.from(nonce), keyId],
    )
  }

  const secrets = ['sk-aaaaaaaaaaaaaaaa', 'sk-bbbbbbbbbbbbbbbb', 'whsec_cccccccc']

  beforeEach(async () => {
    await ratchet('provider-key set --workspace acme --provider anthropic', { piped: secrets[0] as string })
    await ratchet('provider-key set --workspace acme --provider openai', { piped: secrets[1] as string })
    await addWebhook(oldKey, secrets[2] as string)
  })

  it('encrypts everything with the first key, so that the other one can be removed', async () => {
    const before = await pool.query('SELECT id, updated_at FROM provider_key ORDER BY id')

    expect(await json('reseal-secrets', { keys: `${newKey},${oldKey}` })).toEqual({
      code: 0,
      key_id: 'k2',
      resealed: 3,
      unreadable: [],
      left: 0,
      secrets: [
        { table: 'provider_key', keyId: 'k2', count: 2 },
        { table: 'webhook', keyId: 'k2', count: 1 },
      ],
    })

    expect(await readAll(newKey)).toEqual(secrets)
    expect((await pool.query('SELECT id, updated_at FROM provider_key ORDER BY id')).rows).toEqual(before.rows)
    expect(await json('reseal-secrets', { keys: `${newKey},${oldKey}` })).toMatchObject({ code: 0, resealed: 0 })
  })

  it('only counts with --check', async () => {
    const { code, out } = await ratchet('reseal-secrets --check', { keys: `${newKey},${oldKey}` })

    expect(code).toBe(1)
    expect(out).toMatch(/^provider keys +k1 +2$/m)
    expect(out).toMatch(/^3 are not under k2/m)
    expect(await readAll(oldKey)).toEqual(secrets)
  })

  it('does not change what no key decrypts, and prints its id', async () => {
    await addWebhook(foreignKey, 'whsec_dddddddd')

    const outcome = await json('reseal-secrets', { keys: `${newKey},${oldKey}` })

    expect(outcome).toMatchObject({ code: 1, resealed: 3, left: 1, unreadable: [expect.any(String)] })
    expect((await readAll(foreignKey)).filter((secret) => secret !== null)).toEqual(['whsec_dddddddd'])
  })

  it('works in several batches', async () => {
    for (let i = 0; i < 450; i++) await addWebhook(oldKey, `whsec_${i}`)

    const { code, out, err } = await ratchet('reseal-secrets', { keys: `${newKey},${oldKey}` })

    expect(code).toBe(0)
    expect(out).toMatch(/^453 resealed$/m)
    expect(err).toBe('webhook secrets: 202 resealed so far\nwebhook secrets: 402 resealed so far\n')
  })
})

describe('admin work', () => {
  async function addJudgement(source: string, runId: string | null): Promise<string> {
    const id = randomUUID()
    await pool.query(
      `INSERT INTO judgement (id, workspace_id, criterion_id, run_id, source, instrument, log_id, created_at, state, failures, last_error)
       VALUES ($1, $2, $1, $3, $4::judgement_source, 1, $1, now(), 'poisoned', 5, 'provider said no')`,
      [id, workspaceId, runId, source],
    )
    return id
  }

  beforeEach(async () => {
    const criterionId = randomUUID()
    // The rows that these rows reference are not needed here.
    await pool.query("SET session_replication_role = 'replica'")
    await addJudgement('online', null)
    await addJudgement('scan', criterionId)
  })

  it('shows dead-lettered work with its error, and retries judgements of monitored traffic', async () => {
    const { queues, poisoned } = await json('work list')
    expect(queues[0]).toMatchObject({ queue: 'judgements', pending: 0, leased: 0, poisoned: 2, oldest_due_seconds: 0 })
    expect(poisoned.map(({ source, error, count }: Record<string, unknown>) => [source, error, count])).toEqual([
      ['online', 'provider said no', 1],
      ['scan', 'provider said no', 1],
    ])

    expect(await json('work retry')).toEqual({ code: 0, judgements: 1 })

    expect((await json('work list')).queues[0]).toMatchObject({ pending: 1, due: 1, poisoned: 1 })
    expect((await ratchet('work list')).out).toMatch(/^judgements +1 +1 +\d+ s +0 +1$/m)
  })

  async function addEval(status: string, states: readonly string[]): Promise<void> {
    const runId = randomUUID()
    await pool.query(
      `INSERT INTO eval_run (id, workspace_id, status, baseline_model, candidate_models, request, judge, created_by, created_at, finished_at)
       VALUES ($1, $2, $3::eval_status, 'sim/small', '{}', '{}', '{}', $2, now(), CASE $3 WHEN 'CANCELLED' THEN now() END)`,
      [runId, workspaceId, status],
    )
    await pool.query(
      `INSERT INTO eval_sample (id, run_id, workspace_id, position, repetition, cluster, state, due_at, outcomes)
       SELECT gen_random_uuid(), $1, $2, position, 0, '', state::eval_sample_state, now() - interval '1 minute',
         CASE state WHEN 'poisoned' THEN ARRAY['error'] END
       FROM unnest($3::text[]) WITH ORDINALITY AS sample(state, position)`,
      [runId, workspaceId, states],
    )
  }

  it('does not count samples of a cancelled eval, and counts one with an expired lease as due', async () => {
    await addEval('RUNNING', ['pending', 'pending', 'leased', 'poisoned'])
    await addEval('CANCELLED', ['pending', 'leased'])

    const { queues } = await json('work list')

    expect(queues[1]).toMatchObject({ queue: 'eval samples', pending: 2, due: 3, leased: 1, poisoned: 1 })
    expect(queues[1].oldest_due_seconds).toBeGreaterThanOrEqual(60)
  })

  it('does not count requests for a removed shadow', async () => {
    const aliasId = randomUUID()
    await pool.query(
      `INSERT INTO alias (id, workspace_id, name, target_model, shadow_model, shadow_percent, epoch_started_at, created_by, created_at, updated_at, updated_by)
       VALUES ($1, $2, 'support', 'sim/small', 'sim/medium', 10, now(), $2, now(), now(), 'gate')`,
      [aliasId, workspaceId],
    )
    for (const model of ['sim/medium', 'sim/large']) {
      await pool.query(
        `INSERT INTO shadow_sample (id, alias_id, workspace_id, log_id, model, created_at)
         VALUES (gen_random_uuid(), $1, $2, gen_random_uuid(), $3, now())`,
        [aliasId, workspaceId, model],
      )
    }

    expect((await json('work list')).queues[2]).toMatchObject({ queue: 'mirrored requests', pending: 1, leased: 0 })
  })
})
