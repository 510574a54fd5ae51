import { randomUUID } from 'node:crypto'
import { operationName } from '@ratchet/contracts/endpoint'
import { agentSettings } from '../voice/voice-fleet.ts'
import type { SeenAnswer } from './find-leaks.ts'
import type { Things } from './own-things.ts'
import { plainParams, type Reference, reviewKind, type ThingKind, voiceKind } from './references.ts'

type Fields = Readonly<Record<string, unknown>>

const messages = [{ role: 'user', content: 'Hi.' }]
const anEval = {
  name: 'Another',
  sample_count: 5,
  baseline_model: 'sim/medium',
  candidate_models: ['sim/small'],
  rubric: 'The answer is right.',
  judge_model: 'sim/judge',
}
const aJob = ({ dataset: datasetId }: Things) => ({ model: 'sim/small', datasetId })
const aRun = ({ dataset: datasetId }: Things) => ({
  baseModel: 'sim/small',
  datasetId,
  reward: { functions: [{ type: 'length' }] },
  maxCostUsd: 1,
})
const aRound = ({ dataset: datasetId, criterion: criterionId }: Things) => ({
  baseModel: 'sim/small',
  datasetId,
  criterionId,
  maxCostUsd: 1,
})
const aSample = { messages, completion: [{ role: 'assistant', content: 'Hello.' }] }
const aTool = {
  name: 'another',
  description: 'Another.',
  parameters: { type: 'object' },
  kind: 'static',
  static: { result: 'fine' },
}
const anAlias = { name: 'another-bot', target_model: 'sim/small' }

/** A valid body of an endpoint; absent for endpoints that accept an empty one. */
const bodies: Readonly<Record<string, (things: Things) => Fields>> = {
  'POST /v1/chat/completions': () => ({ model: 'sim/echo', messages }),
  'POST /v1/responses': () => ({ model: 'sim/echo', input: 'Hi.' }),
  'POST /v1/messages': () => ({ model: 'sim/echo', max_tokens: 16, messages }),
  'POST /v1/completions': () => ({ model: 'sim/echo', prompt: 'hi' }),
  'POST /v1/responses/compact': () => ({ model: 'sim/echo', input: 'hi' }),
  'POST /v1/messages/count_tokens': () => ({ model: 'sim/echo', messages }),
  'POST /v1/responses/input_tokens': () => ({ model: 'sim/echo', input: 'Hi.' }),
  'POST /v1/embeddings': () => ({ model: 'sim/embed', input: 'Hi.' }),
  'POST /v1/rerank': () => ({ model: 'sim/rerank', query: 'a', documents: ['a', 'b'] }),
  'POST /v2/rerank': () => ({ model: 'sim/rerank', query: 'a', documents: ['a', 'b'] }),
  'POST /v1beta/models/*call': () => ({ contents: [{ parts: [{ text: 'Hi.' }] }] }),
  'POST /v1/moderations': () => ({ model: 'sim/moderate', input: 'Hi.' }),
  'POST /v1/images/generations': () => ({ model: 'sim/image', prompt: 'Hi.' }),
  'POST /v1/audio/speech': () => ({ model: 'sim/speech', input: 'Hi.', voice: 'alloy' }),
  'POST /v1/datasets/from_logs': () => ({ name: 'Curated', dry_run: true }),
  'POST /v1/datasets/from_evals': () => ({ name: 'Pairs' }),
  'POST /v1/datasets/distill': ({ dataset: dataset_id }) => ({
    name: 'Distilled',
    teacher_model: 'sim/medium',
    dataset_id,
    max_cost_usd: 1,
  }),
  'POST /v1/datasets': () => ({ name: 'Uploaded' }),
  'PATCH /v1/datasets/:id': () => ({ description: 'Changed.' }),
  'POST /v1/criteria': () => ({ name: 'Another', judge_prompt: 'It is wrong.', judge_model: 'sim/judge' }),
  'PATCH /v1/criteria/:id': () => ({ description: 'Changed.' }),
  'PUT /v1/criteria/:id/monitor': () => ({ online_enabled: false }),
  'POST /v1/criteria/:id/judge': ({ log }) => ({ log_id: log }),
  'POST /v1/criteria/:id/calibrate': () => ({ dry_run: true }),
  'POST /v1/criteria/:id/scan': () => ({ sample_count: 2 }),
  'POST /v1/cascades': ({ criterion }) => ({
    name: 'Another',
    members: [{ criterion_id: criterion }, { criterion_id: criterion }],
  }),
  'POST /v1/cascades/:id/scan': () => ({ sample_count: 2 }),
  'POST /v1/feedback': ({ log }) => ({ log_id: log, rating: 'down', comment: 'Wrong.' }),
  'POST /v1/labels': ({ log }) => ({ log_id: log, label: 'pass' }),
  'POST /v1/labels/import': () => ({ messages, response: 'Hello.', label: 'pass' }),
  'POST /v1/environment_tools': () => aTool,
  'PATCH /v1/environment_tools/:id': () => ({ description: 'Changed.' }),
  'POST /v1/environment_tools/from_traces': () => ({ toolName: 'lookup', dryRun: true }),
  'POST /v1/batches': ({ batch_input: input }) => ({
    input_file_id: input,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  }),
  'POST /v1/evals': () => anEval,
  'POST /v1/evals/estimate': () => anEval,
  'POST /v1/evals/:id/samples/:sample_id/preferences': () => ({ preference: 'tie' }),
  'POST /v1/dedicated/endpoints': () => ({ name: 'Another', model: 'sim/small', hardware: 'sim-1x' }),
  'PATCH /v1/dedicated/endpoints/:id': () => ({ name: 'Changed' }),
  'POST /v1/grpo/runs': aRun,
  'POST /v1/grpo/runs/estimate': aRun,
  'POST /v1/grpo/rewards/test': () => ({ reward: { functions: [{ type: 'length' }] }, samples: [aSample] }),
  'POST /v1/fine_tuning/jobs': aJob,
  'POST /v1/fine_tuning/jobs/estimate': aJob,
  'PUT /v1/aliases': () => anAlias,
  'POST /v1/model_versions/:id/adopt': () => ({ aliasName: 'another-bot' }),
  'POST /v1/model_versions/:id/serve': () => ({ in: 'pool' }),
  'POST /v1/model_versions/:id/reject': () => ({ reason: 'No.' }),
  'POST /v1/webhooks': () => ({ url: 'https://127.0.0.1:9443/hook', events: ['eval.done'] }),
  'PATCH /v1/webhooks/:id': () => ({ description: 'Changed.' }),
  'POST /session/raft/rounds': aRound,
  'POST /session/raft/rounds/estimate': aRound,
  'POST /session/datasets/preview': () => ({}),
  'POST /session/voice/agents': () => agentSettings,
  'POST /session/voice/calls/create': ({ agent }) => ({ agent_id: agent, type: 'web' }),
  'POST /session/review/rounds': ({ criterion }) => ({ criterion_id: criterion, dry_run: true }),
  'POST /session/review/rounds/:id/heartbeat': ({ claim }) => ({ claim_ids: [claim] }),
  'POST /session/review/grades': ({ claim, item }) => ({
    grade_id: randomUUID(),
    claim_id: claim,
    item_id: item,
    label: 'pass',
    shown_ms: 1_000,
  }),
  'POST /session/review/adjudications/:id': () => ({ label: 'pass' }),
  'POST /session/labels': ({ log }) => ({ unit: 'request', log_id: log, label: 'pass' }),
  'POST /session/labels/marks': ({ log }) => ({ log_ids: [log] }),
}

/** Fields that cannot be combined with a field. */
const instead: Readonly<Record<string, readonly string[]>> = {
  criterion_id: ['judge_model', 'rubric'],
  trace_id: ['log_id'],
  trainingFile: ['datasetId'],
  continueFromRoundId: ['baseModel'],
  modelVersionId: ['model', 'baseModel'],
  warmStartFrom: ['baseModel'],
  response_id: ['log_id'],
  rollout_id: ['log_id'],
  ...Object.fromEntries(
    ['model', 'segment', 'trace_id', 'alias'].map((name) => [`filters.${name}`, ['dataset_id', 'datasetId']]),
  ),
  'labels[].log_id': ['log_id', 'label'],
  'labels[].criterion_id': ['log_id', 'label'],
}

/** Fields that are required together with a field. */
const along: Readonly<Record<string, (things: Things) => Fields>> = {
  'POST /v1/datasets/from_logs criterion_id': () => ({ verdict: 'pass' }),
  'POST /session/datasets/preview criterion_id': () => ({ verdict: 'pass' }),
  'POST /v1/labels labels[].log_id': () => ({ labels: [{ label: 'pass' }] }),
  'POST /v1/labels labels[].criterion_id': ({ log }) => ({ labels: [{ log_id: log, label: 'pass' }] }),
  'POST /session/labels trace_id': () => ({ unit: 'trace' }),
  'POST /session/voice/calls/create number_id': () => ({ type: undefined, to_number: '+12125550199' }),
  ...Object.fromEntries(
    ['/fine_tuning/jobs', '/fine_tuning/jobs/estimate', '/grpo/runs', '/grpo/runs/estimate'].map((path) => [
      `POST /v1${path} afterTraining.criterionId`,
      () => ({ afterTraining: { evalBaselineModel: 'sim/small' } }),
    ]),
  ),
  ...Object.fromEntries(
    ['', '/estimate'].flatMap((path) =>
      ['criterionId', 'judgeModel'].map((name) => [
        `POST /session/raft/rounds${path} evalBaseline.${name}`,
        () => ({ evalBaseline: { evalBaselineModel: 'sim/small' } }),
      ]),
    ),
  ),
  'POST /v1/grpo/rewards/test datasetId': () => ({ samples: undefined, model: 'sim/small', n: 1 }),
  'POST /v1/grpo/rewards/test model': ({ dataset }) => ({ samples: undefined, datasetId: dataset, n: 1 }),
  'POST /session/labels rollout_id': () => ({ unit: 'answer' }),
  'PUT /v1/aliases family_rules[].model': ({ segment }) => ({ family_rules: [{ segment }] }),
  'PUT /v1/aliases canary_model': () => ({ canary_percent: 10 }),
  'PUT /v1/aliases shadow_model': () => ({ shadow_percent: 10 }),
  'PUT /v1/aliases gate_criterion_id': () => ({
    canary_model: 'sim/medium',
    canary_percent: 10,
    gate_mode: 'recommend',
  }),
}

/** Required query parameters of an endpoint. */
const queries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'GET /v1/evals/:id/gate': {
    min_samples: '1',
    require_conclusive: 'false',
    require_measured_judge: 'false',
    require_reliable_judge: 'false',
  },
  'GET /session/logs/histogram': { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' },
  'GET /session/logs/facets': { field: 'model' },
}

const lists = new Set([
  'models',
  'candidate_models',
  'log_ids',
  'eval_ids',
  'claim_ids',
  'toolIds',
  'tool_ids',
  'criterion_ids',
])

export interface Asker {
  /** The API with a key: the edge. For a session: the edge, with the path of the workspace at the dashboard. */
  readonly url: string
  /** A key, or what a page of the dashboard sends. */
  readonly headers: Readonly<Record<string, string>>
  readonly things: Things
}

/** Sends a request with the given name at the reference, and names of the caller's own objects elsewhere. */
export async function askForAnswer(
  { url, headers, things }: Asker,
  reference: Reference,
  asked: string,
): Promise<SeenAnswer> {
  const { endpoint, where, field } = reference
  const key = operationName(endpoint)
  const value = lists.has(field.slice(field.lastIndexOf('.') + 1)) ? [asked] : asked
  const path = endpoint.path.replace(/[:*](\w+)/g, (_, name: string) =>
    encodeURIComponent(
      where === 'params' && name === field ? asked : (plainParams[name] ?? things[paramOf(endpoint, name)] ?? ''),
    ),
  )
  const query = new URLSearchParams({ ...queries[key], ...(where === 'query' ? { [field]: asked } : {}) })
  const hasBody = endpoint.method !== 'get' && endpoint.method !== 'delete'
  const base = { ...without(bodies[key]?.(things) ?? {}, instead[field] ?? []), ...along[`${key} ${field}`]?.(things) }
  const body = where === 'body' ? withField(base, field.split('.'), value) : base
  const isLines = !endpoint.bodyTypes.includes('application/json')
  const response = await fetch(`${url}${path}${query.size === 0 ? '' : `?${query}`}`, {
    method: endpoint.method.toUpperCase(),
    headers: {
      ...headers,
      ...(hasBody ? { 'content-type': isLines ? 'application/jsonl' : 'application/json' } : {}),
    },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
  })
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text(), asked }
}

/** The kinds of ids in a path that has several. */
function paramOf(endpoint: Reference['endpoint'], name: string): ThingKind {
  const { path } = endpoint
  if (name === 'name') return 'alias'
  if (name !== 'id') return name.replace(/_id$/, '') as ThingKind
  if (path.startsWith('/session/review/')) return reviewKind(path)
  if (path.startsWith('/session/voice/')) return voiceKind(endpoint)
  if (path.startsWith('/v1/evals')) return 'eval'
  if (path.startsWith('/v1/cascades')) return 'cascade'
  if (path.startsWith('/v1/environment_tools')) return 'tool'
  if (/^\/(v1|session)\/raft\//.test(path)) return 'raft_round'
  if (path.startsWith('/v1/model_versions')) return 'model_version'
  if (path.startsWith('/v1/fine_tuning')) return 'job'
  if (path.startsWith('/v1/grpo')) return 'run'
  if (path.startsWith('/v1/dedicated')) return 'dedicated_endpoint'
  return path.startsWith('/v1/webhooks') ? 'webhook' : 'criterion'
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

function withField(base: Fields, [name = '', ...rest]: readonly string[], value: unknown): Fields {
  if (name.endsWith('[]')) {
    const list = name.slice(0, -2)
    const [first, ...others] = (base[list] ?? []) as readonly Fields[]
    return { ...base, [list]: [withField(first ?? {}, rest, value), ...others] }
  }
  if (rest.length === 0) return { ...base, [name]: value }
  return { ...base, [name]: withField((base[name] ?? {}) as Fields, rest, value) }
}
