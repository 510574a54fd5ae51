import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPool, type Pool } from './connect-pool.ts'

let database: FreshDatabase
const pools: Record<string, Pool> = {}

beforeAll(async () => {
  database = await freshDatabase()
  pools.operator = connectPool({ databaseUrl: database.url, max: 2 })
  pools.ratchet_alias = connectPool({ databaseUrl: database.url, max: 2, role: 'ratchet_alias' })
  pools.ratchet_dashboard = connectPool({ databaseUrl: database.url, max: 2, role: 'ratchet_dashboard' })
  pools.ratchet_edge = connectPool({ databaseUrl: database.url, max: 2, role: 'ratchet_edge' })
  pools.ratchet_eval = connectPool({ databaseUrl: database.url, max: 2, role: 'ratchet_eval' })
  pools.ratchet_judging = connectPool({ databaseUrl: database.url, max: 2, role: 'ratchet_judging' })
  pools.ratchet_logging = connectPool({ databaseUrl: database.url, max: 2, role: 'ratchet_logging' })
  pools.ratchet_training = connectPool({ databaseUrl: database.url, max: 2, role: 'ratchet_training' })
  pools.ratchet_voice = connectPool({ databaseUrl: database.url, max: 2, role: 'ratchet_voice' })
  pools.ratchet_inference = connectPool({ databaseUrl: database.url, max: 2, role: 'ratchet_inference' })
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

/** All rights of each role on tables and views. Rights that are missing here are denied. */
const rights = {
  ratchet_alias: {
    alias: 'SELECT INSERT UPDATE DELETE',
    alias_event: 'SELECT INSERT',
    arm_traffic: 'SELECT INSERT UPDATE DELETE',
    canary_sample: 'SELECT INSERT UPDATE DELETE',
    gate_look: 'SELECT INSERT DELETE',
    model_adoption: 'SELECT INSERT',
    shadow_sample: 'SELECT INSERT UPDATE DELETE',
    traffic_reporter: 'SELECT INSERT UPDATE DELETE',
    version_route: 'SELECT',
    webhook: 'SELECT INSERT UPDATE DELETE',
    webhook_delivery: 'SELECT INSERT UPDATE DELETE',
    webhook_event: 'SELECT INSERT UPDATE DELETE',
    workspace_alias_settings: 'SELECT',
    workspace_person: 'SELECT',
  },
  ratchet_dashboard: {
    api_key: 'SELECT INSERT UPDATE',
    api_key_use: 'SELECT',
    app_user: 'SELECT INSERT UPDATE',
    audit_event: 'SELECT INSERT',
    auth_account: 'SELECT INSERT UPDATE DELETE',
    auth_passkey: 'SELECT INSERT UPDATE DELETE',
    auth_session: 'SELECT INSERT UPDATE DELETE',
    auth_verification: 'SELECT INSERT UPDATE DELETE',
    cap_notice: 'SELECT INSERT UPDATE DELETE',
    criterion_cap_reached: 'SELECT',
    dead_letter: 'SELECT',
    edge_lease: 'SELECT DELETE',
    event_notice: 'SELECT INSERT UPDATE DELETE',
    invitation: 'SELECT INSERT UPDATE DELETE',
    key_change: 'SELECT',
    key_timeline: 'SELECT INSERT',
    membership: 'SELECT INSERT UPDATE DELETE',
    provider_key: 'SELECT INSERT UPDATE DELETE',
    saved_view: 'SELECT INSERT UPDATE DELETE',
    user_preference: 'SELECT INSERT UPDATE DELETE',
    wallet_low: 'SELECT',
    wallet_notice: 'SELECT INSERT UPDATE DELETE',
    work_queue: 'SELECT',
    workspace: 'SELECT INSERT UPDATE',
    workspace_audit: 'SELECT',
    workspace_event: 'SELECT',
    workspace_settings: 'SELECT INSERT UPDATE',
  },
  ratchet_edge: {
    abuse_guard_hit: 'SELECT INSERT DELETE',
    api_key_identity: 'SELECT',
    api_key_use: 'SELECT INSERT UPDATE',
    edge_lease: 'SELECT INSERT UPDATE DELETE',
    edge_refusal_hour: 'SELECT INSERT UPDATE DELETE',
    key_change: 'SELECT',
    workspace_guard_limit: 'SELECT',
    voice_key_identity: 'SELECT',
    voice_window: 'SELECT INSERT UPDATE DELETE',
  },
  ratchet_eval: {
    eval_answer: 'SELECT INSERT UPDATE',
    eval_look: 'SELECT INSERT UPDATE',
    eval_panel_verdict: 'SELECT INSERT UPDATE',
    eval_preference: 'SELECT INSERT',
    eval_run: 'SELECT INSERT UPDATE',
    eval_sample: 'SELECT INSERT UPDATE',
  },
  ratchet_inference: {
    dedicated_minute: 'SELECT INSERT UPDATE DELETE',
    dedicated_route: 'SELECT',
    dedicated_traffic: 'SELECT INSERT UPDATE DELETE',
    alias_route: 'SELECT',
    billing_request: 'SELECT INSERT UPDATE',
    charge: 'SELECT INSERT',
    edge_refusal_hour: 'SELECT',
    escrow_block: 'SELECT INSERT UPDATE',
    failed_request: 'SELECT INSERT',
    free_answer_bytes: 'SELECT INSERT UPDATE DELETE',
    idempotency_record: 'SELECT INSERT UPDATE DELETE',
    ledger_entry: 'SELECT INSERT',
    ledger_owner: 'SELECT INSERT UPDATE DELETE',
    outcome_reporter: 'SELECT INSERT UPDATE DELETE',
    payment_event: 'SELECT INSERT',
    provider_key: 'SELECT',
    request_latency_hour: 'SELECT INSERT UPDATE DELETE',
    request_outcome_hour: 'SELECT INSERT UPDATE DELETE',
    spend_cap: 'SELECT INSERT UPDATE',
    stored_response: 'SELECT INSERT DELETE',
    top_up: 'SELECT INSERT UPDATE',
    top_up_reference: 'SELECT INSERT UPDATE DELETE',
    usage_hour: 'SELECT INSERT UPDATE',
    version_revision: 'SELECT',
    version_route: 'SELECT',
    version_use: 'SELECT INSERT UPDATE',
    wallet: 'SELECT UPDATE',
    wallet_alert: 'SELECT INSERT UPDATE DELETE',
    wallet_now: 'SELECT',
    workspace_inference_settings: 'SELECT',
    workspace_ledger: 'SELECT',
  },
  ratchet_judging: {
    criterion: 'SELECT INSERT UPDATE DELETE',
    criterion_event: 'SELECT INSERT',
    grading_frame: 'SELECT INSERT',
    grading_frame_item: 'SELECT INSERT',
    judge_run: 'SELECT INSERT UPDATE',
    judgement: 'SELECT INSERT UPDATE DELETE',
    judging_answer: 'SELECT INSERT UPDATE DELETE',
    judging_notice: 'SELECT INSERT DELETE',
    cascade: 'SELECT INSERT DELETE',
    cascade_attempt: 'SELECT INSERT',
    deleted_improvement: 'SELECT INSERT',
    drift_day: 'SELECT INSERT DELETE',
    grades_in_force: 'SELECT',
    label: 'SELECT INSERT',
    label_snapshot: 'SELECT INSERT',
    monitor_cursor: 'SELECT INSERT UPDATE DELETE',
    review_claim: 'SELECT INSERT',
    review_grade: 'SELECT INSERT',
    review_item: 'SELECT INSERT',
    review_round: 'SELECT INSERT',
    run_cursor: 'SELECT INSERT UPDATE DELETE',
  },
  ratchet_logging: {
    feedback: 'SELECT INSERT UPDATE DELETE',
    logging_answer: 'SELECT INSERT UPDATE DELETE',
    dataset: 'SELECT INSERT DELETE',
    dataset_example: 'SELECT INSERT',
    exchange: 'SELECT INSERT UPDATE DELETE',
    exchange_block: 'SELECT INSERT UPDATE DELETE',
    exchange_content: 'SELECT INSERT UPDATE DELETE',
    file: 'SELECT INSERT DELETE',
    file_chunk: 'SELECT INSERT',
    log_erasure: 'SELECT DELETE',
    log_reconciliation: 'SELECT UPDATE',
    segment_family: 'SELECT INSERT UPDATE',
    segment_traffic: 'SELECT',
    segment_unused: 'SELECT UPDATE DELETE',
    span: 'SELECT INSERT UPDATE DELETE',
    stored_bytes: 'SELECT INSERT UPDATE DELETE',
    trace_traffic: 'SELECT',
    workspace_logging_settings: 'SELECT',
    lost_capture: 'SELECT INSERT UPDATE',
  },
  ratchet_training: {
    alias_models: 'SELECT',
    artifact: 'SELECT INSERT UPDATE DELETE',
    artifact_reference: 'SELECT INSERT DELETE',
    checkpoint: 'SELECT INSERT UPDATE',
    environment_tool: 'SELECT INSERT UPDATE DELETE',
    environment_tool_secret: 'SELECT INSERT',
    environment_tool_use: 'SELECT INSERT DELETE',
    environment_tool_version: 'SELECT INSERT DELETE',
    training_answer: 'SELECT INSERT UPDATE DELETE',
    distill_prompt: 'SELECT INSERT',
    distill_sample: 'SELECT INSERT UPDATE',
    distillation: 'SELECT INSERT UPDATE DELETE',
    raft_grade: 'SELECT INSERT',
    dedicated_adapter: 'SELECT INSERT UPDATE',
    dedicated_endpoint: 'SELECT INSERT UPDATE',
    dedicated_event: 'SELECT INSERT DELETE',
    dedicated_key: 'INSERT',
    dedicated_minute: 'SELECT',
    dedicated_traffic: 'SELECT',
    replica: 'SELECT INSERT UPDATE',
    replica_adapter: 'SELECT INSERT UPDATE DELETE',
    replica_interval: 'SELECT INSERT UPDATE',
    replica_window: 'SELECT INSERT UPDATE',
    replica_window_cost: 'SELECT',
    grpo_grade: 'SELECT INSERT',
    grpo_prompt: 'SELECT INSERT',
    grpo_rollout: 'SELECT INSERT UPDATE DELETE',
    grpo_run: 'SELECT INSERT UPDATE',
    grpo_step: 'SELECT INSERT UPDATE',
    grpo_verdict: 'SELECT INSERT',
    model_adoption: 'SELECT',
    model_version: 'SELECT INSERT UPDATE',
    pool_adapter: 'SELECT INSERT UPDATE DELETE',
    pool_lease: 'SELECT INSERT UPDATE DELETE',
    pool_replica: 'SELECT INSERT UPDATE DELETE',
    pool_version: 'SELECT INSERT UPDATE DELETE',
    raft_prompt: 'SELECT INSERT',
    raft_round: 'SELECT INSERT UPDATE',
    raft_sample: 'SELECT INSERT UPDATE',
    tool_call: 'SELECT INSERT UPDATE DELETE',
    tool_recording: 'SELECT INSERT',
    training_attempt: 'SELECT INSERT UPDATE',
    training_event: 'SELECT INSERT',
    training_job: 'SELECT INSERT UPDATE',
    training_metric: 'SELECT INSERT UPDATE',
    training_notice: 'SELECT INSERT DELETE',
    training_roots: 'SELECT INSERT UPDATE',
    training_workspace: 'SELECT',
    version_edge: 'SELECT INSERT UPDATE',
    version_fingerprint: 'SELECT INSERT UPDATE',
    version_revision: 'SELECT INSERT UPDATE',
    version_use: 'SELECT DELETE',
  },
  ratchet_voice: {
    agent: 'SELECT INSERT UPDATE',
    agent_canary: 'SELECT INSERT UPDATE',
    agent_event: 'SELECT INSERT',
    agent_version: 'SELECT INSERT',
    call: 'SELECT INSERT UPDATE',
    call_command: 'SELECT INSERT DELETE',
    call_event: 'SELECT INSERT DELETE',
    call_request: 'SELECT INSERT UPDATE',
    call_slice: 'SELECT INSERT UPDATE',
    call_turn: 'SELECT INSERT DELETE',
    call_verdict: 'SELECT INSERT UPDATE',
    voice_answer: 'SELECT INSERT UPDATE DELETE',
    voice_tool: 'SELECT INSERT UPDATE DELETE',
    voice_tool_secret: 'SELECT INSERT UPDATE',
    voice_worker: 'SELECT INSERT UPDATE DELETE',
  },
}

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
