import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPool, type Pool } from './connect-pool.ts'
import { rights } from './rights.fixture.ts'

let database: FreshDatabase
const pools: Record<string, Pool> = {}

beforeAll(async () => {
  database = await freshDatabase()
  pools.operator = connectPool({ databaseUrl: database.url, max: 2 })
  for (const role of Object.keys(rights) as (keyof typeof rights)[]) {
    pools[role] = connectPool({ databaseUrl: database.url, max: 2, role })
  }
  await pools.operator.query(`
    INSERT INTO workspace VALUES ('00000000-0000-7000-8000-000000000001', 'w', 'W', now());
    INSERT INTO wallet (workspace_id, balance) VALUES ('00000000-0000-7000-8000-000000000001', 1000);
    INSERT INTO ledger_entry (wallet_id, amount, account, reason, external_ref)
      VALUES ('00000000-0000-7000-8000-000000000001', 1000, 'wallet', 'top_up', 'r');
    INSERT INTO alias_event (id, workspace_id, alias_id, alias_name, kind, created_at)
      VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'bot', 'delete', now())`)
})

afterAll(async () => {
  for (const pool of Object.values(pools)) await pool.end()
  await database.drop()
})

it.each(Object.entries(rights))('%s has exactly these rights', async (role, expected) => {
  const { rows } = await poolOf('operator').query<{ relation: string; privileges: string }>(
    `SELECT relname AS relation, string_agg(privilege, ' ' ORDER BY place) AS privileges
     FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'])
       WITH ORDINALITY AS p(privilege, place)
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'm', 'p', 'f')
       AND has_table_privilege($1, oid, privilege)
     GROUP BY relname ORDER BY relname`,
    [role],
  )

  expect(Object.fromEntries(rows.map(({ relation, privileges }) => [relation, privileges]))).toEqual(expected)
})

it.each([
  ['ratchet_alias', "UPDATE alias_event SET reason = 'another'"],
  ['ratchet_alias', 'DELETE FROM alias_event'],
  ['ratchet_alias', 'SELECT 1 FROM workspace_settings'],
  ['ratchet_alias', 'SELECT 1 FROM exchange'],
  ['ratchet_alias', 'SELECT 1 FROM eval_run'],
  ['ratchet_alias', 'SELECT 1 FROM criterion'],
  ['ratchet_alias', 'SELECT 1 FROM wallet'],
  ['ratchet_dashboard', "UPDATE audit_event SET subject = 'another'"],
  ['ratchet_dashboard', 'DELETE FROM audit_event'],
  ['ratchet_dashboard', 'DELETE FROM workspace'],
  ['ratchet_dashboard', 'DELETE FROM api_key'],
  ['ratchet_dashboard', 'SELECT 1 FROM wallet'],
  ['ratchet_dashboard', 'SELECT 1 FROM exchange'],
  ['ratchet_dashboard', 'SELECT 1 FROM label'],
  ['ratchet_dashboard', 'SELECT 1 FROM webhook'],
  ['ratchet_dashboard', 'UPDATE edge_lease SET acked_version = 0'],
  ['ratchet_edge', 'SELECT 1 FROM auth_session'],
  ['ratchet_inference', 'SELECT 1 FROM auth_account'],
  ['ratchet_edge', 'SELECT 1 FROM alias'],
  ['ratchet_edge', 'SELECT 1 FROM webhook'],
  ['ratchet_edge', 'SELECT hash FROM api_key'],
  ['ratchet_edge', 'SELECT email FROM app_user'],
  ['ratchet_edge', 'SELECT 1 FROM membership'],
  ['ratchet_edge', 'SELECT 1 FROM workspace'],
  ['ratchet_edge', 'SELECT 1 FROM wallet'],
  ['ratchet_edge', 'SELECT 1 FROM ledger_entry'],
  ['ratchet_edge', 'SELECT 1 FROM provider_key'],
  ['ratchet_edge', 'SELECT 1 FROM workspace_settings'],
  ['ratchet_edge', 'SELECT 1 FROM workspace_inference_settings'],
  ['ratchet_edge', "UPDATE membership SET role = 'owner'"],
  ['ratchet_edge', 'DELETE FROM api_key_use'],
  ['ratchet_edge', 'DELETE FROM key_change'],
  ['ratchet_edge', "SELECT nextval('key_version')"],
  ['ratchet_edge', 'SELECT 1 FROM key_timeline'],
  ['ratchet_inference', 'SELECT 1 FROM edge_lease'],
  ['ratchet_inference', 'SELECT 1 FROM key_change'],
  ['ratchet_edge', 'CREATE TABLE mine (id int)'],
  ['ratchet_logging', 'SELECT 1 FROM workspace_settings'],
  ['ratchet_logging', 'SELECT amount FROM ledger_entry'],
  ['ratchet_logging', 'SELECT cost FROM billing_request'],
  ['ratchet_logging', 'SELECT cost FROM charge'],
  ['ratchet_inference', 'UPDATE charge SET cost = 0'],
  ['ratchet_inference', 'DELETE FROM charge'],
  ['ratchet_logging', 'SELECT 1 FROM provider_key'],
  ['ratchet_logging', 'DROP TABLE exchange'],
  ['ratchet_logging', 'DELETE FROM segment_family'],
  ['ratchet_logging', 'UPDATE segment_traffic SET exchanges = 0'],
  ['ratchet_logging', 'SELECT 1 FROM segment_variant'],
  ['ratchet_logging', 'DELETE FROM trace_traffic'],
  ['ratchet_logging', "SELECT count_steps_in('{}')"],
  ['ratchet_logging', "UPDATE dataset SET source = 'raft'"],
  ['ratchet_logging', "UPDATE dataset_example SET line = ''"],
  ['ratchet_logging', 'DELETE FROM dataset_example'],
  ['ratchet_logging', "UPDATE file_chunk SET content = ''"],
  ['ratchet_eval', 'SELECT 1 FROM exchange'],
  ['ratchet_eval', 'SELECT 1 FROM wallet'],
  ['ratchet_eval', 'SELECT 1 FROM criterion'],
  ['ratchet_eval', 'DELETE FROM eval_run'],
  ['ratchet_training', 'SELECT 1 FROM dataset_example'],
  ['ratchet_training', 'SELECT 1 FROM wallet'],
  ['ratchet_training', "UPDATE training_event SET message = 'another'"],
  ['ratchet_training', 'DELETE FROM training_job'],
  ['ratchet_voice', 'DELETE FROM agent'],
  ['ratchet_voice', "UPDATE agent_version SET spec = '{}'"],
  ['ratchet_voice', 'SELECT 1 FROM wallet'],
  ['ratchet_judging', 'SELECT 1 FROM exchange'],
  ['ratchet_judging', 'SELECT 1 FROM alias'],
  ['ratchet_judging', "UPDATE judging_notice SET data = ''"],
  ['ratchet_judging', 'SELECT 1 FROM wallet'],
  ['ratchet_judging', "UPDATE label SET label = 'pass'"],
  ['ratchet_judging', 'DELETE FROM label'],
  ['ratchet_judging', "UPDATE label_snapshot SET response = ''"],
  ['ratchet_inference', 'SELECT 1 FROM exchange'],
  ['ratchet_inference', 'SELECT 1 FROM alias'],
  ['ratchet_inference', 'UPDATE alias_route SET canary_percent = 100'],
  ['ratchet_inference', 'SELECT 1 FROM workspace_alias_settings'],
  ['ratchet_inference', 'UPDATE ledger_entry SET amount = 0'],
  ['ratchet_inference', 'DELETE FROM ledger_entry'],
  ['ratchet_inference', 'TRUNCATE ledger_entry'],
  ['ratchet_inference', 'DELETE FROM wallet'],
  ['ratchet_inference', 'INSERT INTO wallet (workspace_id, balance) VALUES (gen_random_uuid(), 1)'],
  ['ratchet_inference', 'DELETE FROM billing_request'],
  ['ratchet_inference', 'DELETE FROM spend_cap'],
  ['ratchet_edge', 'SELECT 1 FROM spend_cap'],
  ['ratchet_edge', 'SELECT 1 FROM workspace_settings'],
  ['ratchet_inference', 'SELECT hash FROM api_key'],
  ['ratchet_inference', 'SELECT 1 FROM api_key_identity'],
  ['ratchet_inference', 'SELECT 1 FROM workspace_settings'],
  ['ratchet_inference', "UPDATE provider_key SET base_url = 'https://evil.example'"],
  ['ratchet_inference', 'DELETE FROM provider_key'],
  ['ratchet_inference', 'ALTER TABLE wallet DROP CONSTRAINT wallet_balance_check'],
  ['ratchet_inference', 'CREATE TABLE mine (id int)'],
])('%s may not: %s', async (role, sql) => {
  await expect(poolOf(role).query(sql)).rejects.toMatchObject({ code: '42501' })
})

it.each([
  'UPDATE ledger_entry SET amount = 0',
  'DELETE FROM ledger_entry',
  'TRUNCATE ledger_entry',
  "UPDATE alias_event SET reason = 'another'",
  "UPDATE audit_event SET subject = 'another'",
  'DELETE FROM audit_event',
  'TRUNCATE audit_event',
])('not even the operator may: %s', async (sql) => {
  await expect(poolOf('operator').query(sql)).rejects.toMatchObject({ code: '23000' })
})

it.each([
  ['ratchet_alias', 'SELECT * FROM workspace_alias_settings'],
  ['ratchet_edge', 'SELECT * FROM api_key_identity'],
  ['ratchet_edge', 'INSERT INTO abuse_guard_hit (workspace_id, at) VALUES (gen_random_uuid(), now())'],
  ['ratchet_edge', 'DELETE FROM abuse_guard_hit'],
  [
    'ratchet_edge',
    'INSERT INTO api_key_use VALUES (gen_random_uuid(), now()) ON CONFLICT (key_id) DO UPDATE SET last_used_at = now()',
  ],
  ['ratchet_logging', "UPDATE dataset SET name = 'n', frozen_at = now()"],
  ['ratchet_logging', 'UPDATE file SET bytes = 1, completed_at = now()'],
  ['ratchet_inference', 'UPDATE wallet SET version = version + 1'],
  ['ratchet_inference', 'SELECT * FROM workspace_inference_settings'],
  ['ratchet_inference', 'SELECT * FROM provider_key'],
  ['ratchet_inference', 'SELECT * FROM alias_route'],
  [
    'ratchet_inference',
    "INSERT INTO ledger_entry (wallet_id, request_id, amount, account, reason) VALUES (gen_random_uuid(), gen_random_uuid(), -1, 'wallet', 'usage')",
  ],
])('%s may: %s', async (role, sql) => {
  await expect(poolOf(role).query(sql)).resolves.toBeDefined()
})

function poolOf(name: string): Pool {
  const pool = pools[name]
  if (pool === undefined) throw new Error(`no pool ${name}`)
  return pool
}
