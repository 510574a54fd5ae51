import type { Endpoint } from '@ratchet/contracts/endpoint'
import { operationName } from '@ratchet/contracts/endpoint'
import { z } from 'zod'

/** Kinds of objects of a workspace that have an id or a name. */
const thingKinds = [
  'log',
  'trace',
  'span',
  'segment',
  'response',
  'dataset',
  'file',
  'criterion',
  'label',
  'calibration',
  'scan',
  'suggestion',
  'improvement',
  'cascade',
  'cascade_scan',
  'eval',
  'batch',
  'batch_input',
  'sample',
  'job',
  'tool',
  'raft_round',
  'run',
  'rollout',
  'model_version',
  'dedicated_endpoint',
  'alias',
  'webhook',
  'delivery',
  'key',
] as const
export type ThingKind = (typeof thingKinds)[number] | SessionKind

/** Kinds of review, which only people have, and which only endpoints for people name. */
export type ReviewKind = 'challenger' | 'round' | 'round_to_close' | 'claim' | 'item' | 'disagreement'

/** Kinds of voice agents. */
export type VoiceKind = 'agent' | 'agent_to_delete' | 'voice_tool' | 'call' | 'number'

/** Kinds that no endpoint with a key of the gateway names. */
export type SessionKind = ReviewKind | VoiceKind

/** A part of a request that names an object of a workspace. */
export interface Reference {
  readonly endpoint: Endpoint
  readonly where: 'params' | 'query' | 'body'
  /** `filters.trace_id`, `labels[].log_id`. */
  readonly field: string
  readonly kind: ThingKind
}

/** The kind of `:id`, by the first word of the path. */
const collections: Readonly<Record<string, ThingKind>> = {
  responses: 'response',
  models: 'alias',
  logs: 'log',
  traces: 'trace',
  datasets: 'dataset',
  files: 'file',
  criteria: 'criterion',
  cascades: 'cascade',
  labels: 'label',
  evals: 'eval',
  batches: 'batch',
  webhooks: 'webhook',
  fine_tuning: 'job',
  grpo: 'run',
  dedicated: 'dedicated_endpoint',
  environment_tools: 'tool',
  raft: 'raft_round',
  model_versions: 'model_version',
}

/** The kinds that other fields name. A model may be an alias, which belongs to a workspace. */
const fields: Readonly<Record<string, ThingKind>> = {
  trace_id: 'trace',
  agent_id: 'agent',
  tool_ids: 'voice_tool',
  criterion_ids: 'criterion',
  number_id: 'number',
  span_id: 'span',
  challenger_id: 'challenger',
  claim_id: 'claim',
  claim_ids: 'claim',
  item_id: 'item',
  log_ids: 'log',
  eval_ids: 'eval',
  toolIds: 'tool',
  environmentToolId: 'tool',
  suggestion_id: 'suggestion',
  calibration_id: 'calibration',
  scan_id: 'scan',
  improvement_id: 'improvement',
  cascade_scan_id: 'cascade_scan',
  delivery_id: 'delivery',
  name: 'alias',
  criterion_id: 'criterion',
  secondCriterionId: 'criterion',
  chain_id: 'raft_round',
  continueFromRoundId: 'raft_round',
  gate_criterion_id: 'criterion',
  log_id: 'log',
  rollout_id: 'rollout',
  dataset_id: 'dataset',
  file_id: 'file',
  input_file_id: 'batch_input',
  sample_id: 'sample',
  fileId: 'file',
  datasetId: 'dataset',
  warmStartFrom: 'model_version',
  modelVersionId: 'model_version',
  judgeModel: 'alias',
  criterionId: 'criterion',
  gateCriterionId: 'criterion',
  evalDatasetId: 'dataset',
  trainingFile: 'file',
  validationFile: 'file',
  previous_response_id: 'response',
  response_id: 'response',
  key_id: 'key',
  segment: 'segment',
  alias: 'alias',
  model: 'alias',
  judge_model: 'alias',
  target_model: 'alias',
  canary_model: 'alias',
  shadow_model: 'alias',
  baseline_model: 'alias',
  models: 'alias',
  candidate_models: 'alias',
}

/** Fields whose names end like an id but that contain text of the caller, with their meaning. */
const ownWords: Readonly<Record<string, string>> = {
  span_id: 'a span as the caller names it',
  parent_span_id: 'a span as the caller names it',
  grade_id: 'a new id of the browser',
  conversation_id: 'a conversation as the caller names it',
  external_id: 'an item as the caller names it',
  grader_id: 'a person as the caller names them, looked for among the labels of the workspace',
  aliasName: 'an alias of the own workspace, which is made when there is none',
  'afterTraining.evalBaselineModel': 'read by the eval that begins after the training, in the own workspace',
  'afterTraining.judgeModel': 'read by that eval',
  'POST /session/voice/agents model': 'read by the calls of the agent, in the own workspace',
  'PATCH /session/voice/agents/:id model': 'read by those calls',
  'stt.model': 'a recognizer of the installation',
  'logs[].id': 'an entry as the caller names it',
  'logs[].trace_id': 'a trace as the caller names it',
  'logs[].alias': 'what answered elsewhere',
  'logs[].model': 'what answered elsewhere',
  'logs[].segment': 'not read',
  'PUT /v1/aliases family_rules[].segment': 'a family of the own traffic; one that no traffic has changes nothing',
  'POST /v1/labels/import model': 'what answered elsewhere',
}

/** References in parts of a body that the schema does not describe. */
const unread: Readonly<Record<string, readonly (readonly [field: string, kind: ThingKind])[]>> = {
  'POST /v1/labels': [
    ['labels[].log_id', 'log'],
    ['labels[].criterion_id', 'criterion'],
  ],
}

/** Parameters of a path that name no object, with a valid value. */
export const plainParams: Readonly<Record<string, string>> = {
  call: 'sim/echo:generateContent',
  cause: 'no_credit',
  month: '2026-01',
  n: '1',
  provider: 'sim',
  version: '1',
}

const endsLikeId = /(^|_|[a-z])(id|ids|Id|Ids)$/

/**
 * Finds every part of an endpoint's input that names an object, from its schemas.
 *
 * @throws Error for a field whose name ends like an id and that is not listed here, so that none is forgotten
 */
export function referencesOf(endpoint: Endpoint): readonly Reference[] {
  const names = fieldsOf(endpoint.params).filter((field) => !Object.hasOwn(plainParams, field))
  const params = names.map((field): Reference => {
    return { endpoint, where: 'params', field, kind: paramKind(endpoint, field) }
  })
  const named = (where: 'query' | 'body') =>
    fieldsOf(endpoint[where]).flatMap((field): readonly Reference[] => {
      const kind = fieldKind(endpoint, field)
      return kind === null ? [] : [{ endpoint, where, field, kind }]
    })
  const inside = (unread[operationName(endpoint)] ?? []).map(
    ([field, kind]): Reference => ({ endpoint, where: 'body', field, kind }),
  )
  return [...params, ...named('query'), ...named('body'), ...inside]
}

function paramKind(endpoint: Endpoint, field: string): ThingKind {
  if (endpoint.path.startsWith('/session/review/')) return reviewKind(endpoint.path)
  if (endpoint.path.startsWith('/session/voice/')) return voiceKind(endpoint)
  const collection = endpoint.path.split('/')[2] ?? ''
  const kind = field === 'id' ? collections[collection] : fields[field]
  if (kind === undefined) throw new Error(`${operationName(endpoint)}: what is \`${field}\` the name of?`)
  return kind
}

/** The kind of `:id` in a path of review. */
export function reviewKind(path: string): ReviewKind {
  if (path.startsWith('/session/review/adjudications/')) return 'disagreement'
  return path.endsWith('/close') ? 'round_to_close' : 'round'
}

/** The kind of `:id` in a path of voice agents. */
export function voiceKind({ path, method }: Pick<Endpoint, 'path' | 'method'>): VoiceKind {
  if (!path.startsWith('/session/voice/agents/')) return 'call'
  return method === 'delete' ? 'agent_to_delete' : 'agent'
}

function fieldKind(endpoint: Endpoint, field: string): ThingKind | null {
  const name = field.slice(field.lastIndexOf('.') + 1)
  const key = operationName(endpoint)
  if ([name, field, `${key} ${field}`].some((each) => Object.hasOwn(ownWords, each))) return null
  if (name === 'after') return collections[endpoint.path.split('/')[2] ?? ''] ?? null
  // The name of a new object, or a filter on the caller's own objects.
  if (name === 'name') return null
  const kind = fields[name]
  if (kind === undefined && endsLikeId.test(name)) throw new Error(`${key}: what is \`${field}\` the id of?`)
  return kind ?? null
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly allOf?: readonly Shape[]
}

/** Every field of a schema, by its path. */
function fieldsOf(schema: z.ZodType): readonly string[] {
  const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape
  return [...new Set(walk(shape, ''))]
}

function walk(shape: Shape, at: string): readonly string[] {
  const inside = Object.entries(shape.properties ?? {}).flatMap(([name, field]) => {
    const path = at === '' ? name : `${at}.${name}`
    return [path, ...walk(field, path), ...(field.items === undefined ? [] : walk(field.items, `${path}[]`))]
  })
  const branches = [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])]
  return [...inside, ...branches.flatMap((branch) => walk(branch, at))]
}
