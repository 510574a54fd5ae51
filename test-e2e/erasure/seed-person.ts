import { randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import { erasedColumns } from './erased-columns.ts'
import { insertRow } from './insert-row.ts'

export interface Seed {
  readonly workspaceId: string
  readonly userId: string
  /** The name of the end user. */
  readonly person: string
  /** Is in every text that must go. */
  readonly mark: string
  /** Of an exchange of the person. */
  readonly logId: string
  readonly requestId: string
}

type Values = Readonly<Record<string, unknown>>
type Add = (table: string, values: Values) => Promise<void>

const now = () => new Date()
const later = () => new Date(Date.now() + 86_400_000)

/** Writes rows of the person into every table that services fill only after much work: grades, evals, datasets, training, calls. */
export async function seedPerson(pool: Pool, seed: Seed): Promise<void> {
  const add: Add = async (table, values) => {
    const columns = (erasedColumns[table] ?? []).filter((column) => !Object.hasOwn(values, column))
    const texts = Object.fromEntries(columns.map((column) => [column, markOf(seed, table, column)]))
    await insertRow(pool, table, { ...texts, ...values })
  }
  await seedGrades(add, seed)
  await seedEvals(add, seed)
  await seedDataset(add, seed)
  await pool.query('UPDATE dataset SET frozen_at = now() WHERE id = $1', [datasetId(seed)])
  await seedRuns(add, seed)
  await seedRounds(add, seed)
  await seedCall(add, seed)
  await seedEvents(add, seed)
}

/** JSON, which is a text too. */
function markOf({ mark }: Pick<Seed, 'mark'>, table: string, column: string): string {
  return JSON.stringify(`${mark} ${table}.${column}`)
}

async function seedGrades(add: Add, { workspaceId: workspace_id, userId, logId: log_id, mark }: Seed): Promise<void> {
  const [snapshot, label, round, claim, item] = [randomUUID(), randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const judge = randomUUID()
  await add('criterion', { id: judge, workspace_id, name: 'Rude', created_by: userId, created_at: now() })
  await add('label_snapshot', { id: snapshot, workspace_id })
  const grade = { workspace_id, label: 'fail', source: 'api', created_by: userId }
  await add('label', {
    ...grade,
    id: label,
    log_id,
    snapshot_id: snapshot,
    item_key: `log:${log_id}`,
    grader_id: userId,
  })
  const judged = { workspace_id, criterion_id: judge, source: 'online', instrument: 1, log_id, verdict: 'fail' }
  await add('judgement', { ...judged, state: 'done', judged_at: now() })
  const run = {
    id: round,
    workspace_id,
    criterion_id: judge,
    kind: 'round',
    status: 'DONE',
    request: '{}',
    judge_model: 'm',
  }
  await add('judge_run', { ...run, created_by: userId, created_at: now(), finished_at: now() })
  await add('review_round', { id: round, workspace_id, criterion_id: judge, created_by: userId, closed_at: now() })
  await add('review_claim', { id: claim, workspace_id, round_id: round, grader_id: userId })
  await add('review_item', {
    id: item,
    workspace_id,
    round_id: round,
    claim_id: claim,
    grader_id: userId,
    kind: 'new',
    log_id,
  })
  await add('review_grade', { workspace_id, round_id: round, item_id: item, grader_id: userId, label: 'fail' })
  const items = JSON.stringify([{ log: publicId('log', log_id), text: mark }])
  await add('deleted_improvement', { workspace_id, result: '{}', items })
}

async function seedEvals(add: Add, seed: Seed): Promise<void> {
  const { workspaceId: workspace_id, userId: created_by, logId: log_id, requestId: request_id } = seed
  const [run, sample, batch] = [randomUUID(), randomUUID(), randomUUID()]
  const ended = { status: 'DONE', finished_at: now(), created_at: now(), created_by }
  await add('eval_run', {
    id: run,
    workspace_id,
    ...ended,
    request: '{}',
    judge: '{}',
    candidate_models: ['sim/small'],
  })
  await add('eval_sample', { id: sample, run_id: run, workspace_id, log_id, state: 'done', outcomes: ['win'] })
  await add('eval_answer', { sample_id: sample, run_id: run })
  const verdict = { sample_id: sample, run_id: run, preference: 'baseline' }
  await add('eval_look', verdict)
  await add('eval_panel_verdict', { ...verdict, judge_index: 1 })
  const over = { status: 'completed', ended_at: now(), created_at: now(), expires_at: later(), created_by }
  await add('batch', { id: batch, workspace_id, ...over, endpoint: '/v1/chat/completions', headers: '{}' })
  await add('batch_line', { batch_id: batch, workspace_id, line: 1, state: 'done', status_code: 200, request_id })
}

/** Two lines of the file and two examples: one of each is of somebody else. */
async function seedDataset(add: Add, seed: Seed): Promise<void> {
  const { workspaceId: workspace_id, userId: created_by, logId, person } = seed
  const [dataset, file] = [datasetId(seed), randomUUID()]
  const shown = { kind: 'train', source: 'logs', filters: '{}', created_by, created_at: now(), name: 'mine' }
  await add('dataset', { id: dataset, workspace_id, ...shown, example_count: 2 })
  await add('dataset_example', { dataset_id: dataset, position: 0, line: exampleOf(seed), source_exchange_id: logId })
  await add('dataset_example', {
    dataset_id: dataset,
    position: 1,
    line: '{"messages":[{"role":"user","content":"of bob"}]}',
  })
  const done = { completed_at: now(), created_at: now(), created_by, purpose: 'batch', filename: 'in.jsonl' }
  await add('file', { id: file, workspace_id, ...done })
  const line = JSON.stringify({ body: { user: person, input: markOf(seed, 'file_chunk', 'content') } })
  await add('file_chunk', { file_id: file, position: 0, content: Buffer.from(`{"of":"bob"}\n${line}\n`) })
}

const datasets = new WeakMap<Seed, string>()

function datasetId(seed: Seed): string {
  const known = datasets.get(seed) ?? randomUUID()
  datasets.set(seed, known)
  return known
}

function exampleOf(seed: Seed): string {
  return JSON.stringify({ messages: [{ role: 'user', content: markOf(seed, 'dataset_example', 'line') }] })
}

/** A version that was trained with the person's example, by reinforcement. */
async function seedRuns(add: Add, seed: Seed): Promise<void> {
  const { workspaceId: workspace_id, userId: created_by } = seed
  const [run, step, rollout, tool] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const over = { status: 'succeeded', finished_at: now(), created_at: now(), created_by }
  const settings = { base_model: 'm', trainer: 'sim', request: '{}', method: 'grpo' }
  await add('training_job', { id: run, workspace_id, ...over, ...settings, dataset_id: datasetId(seed) })
  await add('grpo_run', {
    id: run,
    workspace_id,
    name: 'r',
    settings: '{}',
    judges: '[]',
    warnings: '[]',
    stage: 'rejected',
    max_cost_nano: 2,
    judging_cap_nano: 1,
  })
  await add('grpo_step', { id: step, run_id: run, workspace_id, kind: 'step', groups: '[]', state: 'trained' })
  await add('grpo_prompt', { run_id: run, workspace_id, part: 'train' })
  await add('grpo_rollout', { id: rollout, step_id: step, run_id: run, workspace_id })
  await add('grpo_verdict', { rollout_id: rollout, workspace_id, role: 'reward', judge_model: 'm' })
  await add('grpo_grade', { rollout_id: rollout, run_id: run, workspace_id, verdict: 'fail' })
  await add('tool_call', { run_id: run, call_id: 'c', rollout_id: rollout, workspace_id })
  await add('environment_tool', { id: tool, workspace_id, name: 'look_up', kind: 'recorded', created_by })
  const named = JSON.stringify({ user: seed.person, query: markOf(seed, 'tool_recording', 'arguments') })
  await add('tool_recording', { tool_id: tool, key: 'k', workspace_id, arguments: named })
  const made = { base_model: 'm', produced_by: 'grpo', producer_id: run, job_id: run, manifest: '{}', created_by }
  await add('model_version', {
    workspace_id,
    name: 'trained-with-ann',
    ...made,
    dataset_id: datasetId(seed),
    created_at: now(),
  })
}

async function seedRounds(add: Add, seed: Seed): Promise<void> {
  const { workspaceId: workspace_id, userId: created_by } = seed
  const [round, distillation, audit_id] = [randomUUID(), randomUUID(), randomUUID()]
  const texts = { base_model: 'm', start_model: 'm', settings: '{}', judges: '[]', warnings: '[]' }
  const over = { status: 'done', finished_at: now(), created_at: now(), created_by }
  await add('raft_round', { id: round, workspace_id, ...over, ...texts, source_dataset_id: datasetId(seed) })
  await add('raft_prompt', { round_id: round, workspace_id, held_out: false })
  await add('raft_sample', { round_id: round, audit_id, part: 'train', workspace_id, state: 'judged' })
  await add('raft_grade', { round_id: round, audit_id, workspace_id, verdict: 'fail', grader: 'g' })
  await add('distillation', { id: distillation, workspace_id, ...over, request: '{}', judges: '[]' })
  await add('distill_prompt', { distillation_id: distillation, workspace_id, prompt: exampleOf(seed) })
  await add('distill_sample', { distillation_id: distillation, workspace_id, state: 'judged' })
}

async function seedCall(add: Add, seed: Seed): Promise<void> {
  const { workspaceId: workspace_id, userId: owner_user_id, person } = seed
  const [agent, call] = [randomUUID(), randomUUID()]
  await add('agent', { id: agent, workspace_id, owner_user_id })
  const ended = {
    status: 'completed',
    ended_at: now(),
    answered_at: now(),
    ended_reason: 'caller_hangup',
    created_at: now(),
  }
  const phone = { type: 'phone', number_id: randomUUID(), direction: 'inbound', to_number: '+15550100', env: 'live' }
  const metadata = JSON.stringify({ customer: person, note: markOf(seed, 'call', 'metadata') })
  const secret_ciphertext = Buffer.from(markOf(seed, 'call', 'secret_ciphertext'))
  const made = { id: call, workspace_id, owner_user_id, agent_id: agent, agent_version: 1, retention_days: 30 }
  await add('call', { ...made, ...ended, ...phone, metadata, secret_ciphertext })
  await add('call_turn', { call_id: call, workspace_id, role: 'caller', created_at: now() })
  await add('call_event', { call_id: call, workspace_id, kind: 'heard', created_at: now() })
  await add('call_command', { call_id: call, workspace_id, kind: 'say', created_at: now() })
  const sealed = Buffer.from(markOf(seed, 'call_recording_chunk', 'sealed'))
  await add('call_recording_chunk', { call_id: call, workspace_id, samples: 1, sample_rate: 8_000, sealed })
}

/** What waits to be sent, what was sent, first answers, and what a failed request said. */
async function seedEvents(add: Add, seed: Seed): Promise<void> {
  const { workspaceId: workspace_id, userId, logId, person, requestId } = seed
  const body = (table: string, column: string) =>
    JSON.stringify({ log_id: publicId('log', logId), text: markOf(seed, table, column) })
  const [event, webhook] = [randomUUID(), randomUUID()]
  await add('webhook', {
    id: webhook,
    workspace_id,
    url: 'https://example.com',
    events: ['all'],
    enabled: false,
    created_by: userId,
  })
  await add('webhook_event', {
    id: event,
    workspace_id,
    type: 'x',
    body: body('webhook_event', 'body'),
    created_at: now(),
  })
  await add('webhook_delivery', {
    webhook_id: webhook,
    event_id: event,
    status: 'failed',
    created_at: now(),
    deadline: now(),
  })
  const span = { trace_id: `run-of-${person}`, started_at: now(), ended_at: now(), expires_at: later(), kind: 'tool' }
  await add('span', { workspace_id, span_id: 's1', ...span })
  for (const table of ['judging_answer', 'logging_answer', 'training_answer', 'voice_answer']) {
    await add(table, { workspace_id, digest: 'd', answer: body(table, 'answer'), expires_at: later() })
  }
  const at = now()
  await add('failed_request', { request_id: requestId, workspace_id, at, cause: 'provider_error', model: 'm' })
  const data = JSON.stringify({ subject: person, text: markOf(seed, 'workspace_warning', 'data') })
  await add('workspace_warning', {
    workspace_id,
    type: 'budget.threshold',
    about: `b ${person}`,
    data,
    is_pending: false,
    at,
  })
  const views = JSON.stringify([
    { name: 'ann', filter: { user: person, text: markOf(seed, 'saved_view', 'views') } },
    { name: 'all' },
  ])
  await add('saved_view', { workspace_id, user_id: userId, views })
  const alias = { target_model: 'sim/small', created_by: userId, created_at: at, updated_at: at, updated_by: userId }
  await add('alias', { id: event, workspace_id, name: 'of-ann', ...alias, epoch_started_at: at })
  await add('shadow_sample', {
    workspace_id,
    alias_id: event,
    log_id: logId,
    state: 'poisoned',
    model: 'm',
    created_at: at,
  })
}
