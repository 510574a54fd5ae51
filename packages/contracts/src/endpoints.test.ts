import { type Endpoint, operationName } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { internalEndpoints } from './internal-endpoints.ts'
import { sessionEndpoints } from './session-endpoints.ts'

const all = [...endpoints, ...sessionEndpoints, ...internalEndpoints]
const namesOf = (some: readonly Endpoint[]) => some.map(operationName).toSorted()
const isRead = ({ method }: Endpoint) => method === 'get'
const kibibyte = 1024
const mebibyte = 1024 * 1024

it('gives every endpoint a unique name', () => {
  expect(new Set(namesOf(all)).size).toBe(all.length)
})

it('lists endpoints by audience, which their path shows', () => {
  const audienceOf = ({ path }: Endpoint) => /^\/(internal|session)\//.exec(path)?.[1] ?? 'public'
  const lists = { public: endpoints, session: sessionEndpoints, internal: internalEndpoints }
  for (const [listed, some] of Object.entries(lists)) {
    expect(some.filter((each) => each.audience !== listed || audienceOf(each) !== listed)).toEqual([])
  }
})

it('guards no endpoint that only reads', () => {
  expect(namesOf(all.filter((endpoint) => endpoint.guard && isRead(endpoint)))).toEqual([])
})

it('lets members only read, call models and send traces', () => {
  // What training has produced, and what it uses, only owners and admins may read.
  expect(namesOf(endpoints.filter((endpoint) => isRead(endpoint) && endpoint.permission !== 'any'))).toEqual([
    'GET /v1/environment_tools',
    'GET /v1/environment_tools/:id',
    'GET /v1/grpo/runs',
    'GET /v1/grpo/runs/:id',
    'GET /v1/grpo/runs/:id/audit',
    'GET /v1/grpo/runs/:id/guard',
    'GET /v1/grpo/runs/:id/rollouts',
    'GET /v1/grpo/runs/:id/steps',
    'GET /v1/model_versions',
    'GET /v1/model_versions/:id',
    'GET /v1/model_versions/:id/download',
    'GET /v1/model_versions/:id/lineage',
    'GET /v1/raft/rounds',
    'GET /v1/raft/rounds/:id',
    'GET /v1/raft/rounds/:id/audit',
  ])
  expect(namesOf(endpoints.filter((endpoint) => !isRead(endpoint) && endpoint.permission === 'any'))).toEqual([
    'DELETE /v1/responses/:id',
    'POST /v1/audio/speech',
    'POST /v1/audio/transcriptions',
    'POST /v1/chat/completions',
    'POST /v1/completions',
    'POST /v1/embeddings',
    'POST /v1/evals/estimate',
    'POST /v1/feedback',
    'POST /v1/fine_tuning/jobs/estimate',
    'POST /v1/images/generations',
    'POST /v1/logs',
    'POST /v1/messages',
    'POST /v1/messages/count_tokens',
    'POST /v1/metrics',
    'POST /v1/moderations',
    'POST /v1/otel/v1/logs',
    'POST /v1/otel/v1/metrics',
    'POST /v1/otel/v1/traces',
    'POST /v1/rerank',
    'POST /v1/responses',
    'POST /v1/responses/:id/cancel',
    'POST /v1/responses/compact',
    'POST /v1/responses/input_tokens',
    'POST /v1/traces',
    'POST /v1beta/models/*call',
    'POST /v2/rerank',
  ])
})

const model = { maxBodyBytes: 10 * mebibyte, maxGzippedBytes: 10 * mebibyte }

/** Every endpoint whose body may have another size than 1 MiB. */
const limits: Readonly<Record<string, Partial<Endpoint>>> = {
  'POST /internal/batch_quotes': { maxBodyBytes: 16 * mebibyte },
  'POST /internal/files/:file_id/pieces': { maxBodyBytes: 8 * mebibyte },
  'POST /v1/chat/completions': model,
  'POST /v1/responses': model,
  'POST /v1/messages': model,
  'POST /v1/completions': model,
  'POST /v1/responses/compact': model,
  'POST /v1/messages/count_tokens': model,
  'POST /v1/responses/input_tokens': model,
  'POST /v1/embeddings': model,
  'POST /v1/rerank': model,
  'POST /v2/rerank': model,
  'POST /v1/moderations': model,
  'POST /v1beta/models/*call': model,
  'POST /v1/images/generations': model,
  'POST /v1/audio/speech': model,
  'POST /v1/audio/transcriptions': { maxBodyBytes: 10 * mebibyte },
  'POST /v1/traces': { maxBodyBytes: 20 * mebibyte, maxGzippedBytes: 4 * mebibyte },
  'POST /v1/otel/v1/traces': { maxBodyBytes: 20 * mebibyte, maxGzippedBytes: 4 * mebibyte },
  ...Object.fromEntries(
    ['metrics', 'logs', 'otel/v1/metrics', 'otel/v1/logs'].map((path) => [
      `POST /v1/${path}`,
      { maxBodyBytes: 20 * mebibyte, maxGzippedBytes: 4 * mebibyte },
    ]),
  ),
  'POST /v1/logs/import': { maxBodyBytes: 513 * mebibyte, maxJsonBytes: 16 * mebibyte },
  'PUT /internal/datasets/:id/examples': { maxBodyBytes: 128 * mebibyte },
  'POST /v1/datasets': { maxBodyBytes: 513 * mebibyte, maxJsonBytes: 16 * mebibyte },
  'POST /v1/files': { maxBodyBytes: 513 * mebibyte },
  'POST /v1/model_versions/import': { maxBodyBytes: 513 * mebibyte },
  'POST /v1/model_versions/:id/adopt': { maxBodyBytes: 64 * kibibyte },
  'POST /v1/model_versions/:id/serve': { maxBodyBytes: 4 * kibibyte },
  'POST /v1/model_versions/:id/reject': { maxBodyBytes: 64 * kibibyte },
  'POST /v1/grpo/rewards/test': { maxBodyBytes: 4 * mebibyte },
  'POST /v1/labels/import': { maxBodyBytes: 64 * mebibyte },
  'PUT /v1/aliases': { maxBodyBytes: 64 * kibibyte },
  'POST /v1/aliases/:name/rollback': { maxBodyBytes: 64 * kibibyte },
  'POST /v1/webhooks': { maxBodyBytes: 64 * kibibyte },
  'PATCH /v1/webhooks/:id': { maxBodyBytes: 64 * kibibyte },
  'POST /internal/redactions': { maxBodyBytes: 16 * mebibyte },
  'POST /internal/judging/gate-judgements': { maxBodyBytes: 16 * mebibyte },
  'POST /internal/alias/traffic': { maxBodyBytes: 16 * mebibyte },
}

it.each(all.map((endpoint): [string, Endpoint] => [operationName(endpoint), endpoint]))(
  'accepts bodies up to their documented size: %s',
  (name, endpoint) => {
    const { maxBodyBytes = mebibyte, maxJsonBytes = maxBodyBytes, maxGzippedBytes = null } = limits[name] ?? {}
    expect(endpoint).toMatchObject({ maxBodyBytes, maxJsonBytes, maxGzippedBytes })
  },
)
