import { randomBytes } from 'node:crypto'
import { mintApiKey } from '@ratchet/contracts/api-key'
import { mintVoiceKey } from '@ratchet/contracts/voice/voice-key'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { hashOfPassword } from '@ratchet/service-kit/identity/password-hash'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { demoWorkspace } from './demo-workspace.ts'
import { seedDemo } from './seed.ts'

const keys = {
  api_key: mintApiKey('sk_svc_', randomBytes),
  member_api_key: mintApiKey('sk_svc_', randomBytes),
  voice_api_key: mintVoiceKey('live', randomBytes),
}

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 1 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

function seed() {
  return seedDemo({ databaseUrl: database.url, keys, ownerPassword: 'generated', brandWord: undefined })
}

async function settings(): Promise<unknown> {
  const { rows } = await pool.query(
    `SELECT logging_enabled, requests_per_minute, tokens_per_minute, balance::text
     FROM workspace w JOIN workspace_settings s ON s.workspace_id = w.id JOIN wallet ON wallet.workspace_id = w.id
     WHERE slug = $1`,
    [demoWorkspace],
  )
  return rows[0]
}

it('creates a workspace with credit, capture enabled, and generous limits', async () => {
  expect(await seed()).toEqual({ ...keys, owner_email: 'owner@demo.example', owner_password: 'generated' })
  expect(await settings()).toEqual({
    logging_enabled: true,
    requests_per_minute: 10_000,
    tokens_per_minute: 10_000_000,
    balance: '100000000000',
  })
})

it('changes nothing when it is repeated, also not settings that a user changed', async () => {
  await pool.query('UPDATE workspace_settings SET logging_enabled = false, requests_per_minute = NULL')
  expect(await seed()).toMatchObject({ ...keys, owner_password: 'generated' })
  expect(await settings()).toMatchObject({
    logging_enabled: false,
    requests_per_minute: null,
    balance: '100000000000',
  })
})

it('does not replace or print a password that the owner has chosen', async () => {
  const hash = await hashOfPassword('chosen')
  await pool.query('UPDATE auth_account SET password = $1', [hash])
  expect(await seed()).toMatchObject({ owner_email: 'owner@demo.example', owner_password: null })
  const { rows } = await pool.query('SELECT password FROM auth_account')
  expect(rows).toEqual([{ password: hash }])
})
