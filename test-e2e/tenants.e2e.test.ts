import { operationName } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { absentName } from './tenants/absent-name.ts'
import { askForAnswer } from './tenants/ask-for.ts'
import { findLeaks, type SeenAnswer } from './tenants/find-leaks.ts'
import { createTenant, sendSpan, type Tenant } from './tenants/own-things.ts'
import { type Reference, referencesOf } from './tenants/references.ts'

let fleet: SharedFleet
let victim: Tenant
let other: Tenant

beforeAll(async () => {
  fleet = await shareFleet()
  ;[victim, other] = await Promise.all([createTenant(fleet, 'victim'), createTenant(fleet, 'others')])
}, 300_000)

const references = endpoints.flatMap(referencesOf)
const named = (each: Reference): [string, Reference] => [
  `${operationName(each.endpoint)} ${each.where} ${each.field}`,
  each,
]

const as = ({ workspace, things }: Tenant) => ({
  url: fleet.url,
  headers: { authorization: `Bearer ${workspace.apiKey}` },
  things,
})
const ask = (tenant: Tenant, reference: Reference, name: string) => askForAnswer(as(tenant), reference, name)

/** References to objects in the paths of read endpoints. */
const reads = references.filter(({ endpoint, where }) => endpoint.method === 'get' && where === 'params')

/** Everything that the victim can read of its objects. */
async function everythingOf(tenant: Tenant): Promise<readonly (readonly [string, number, string])[]> {
  const answers = reads.map(async (each): Promise<readonly [string, number, string]> => {
    const { status, body } = await ask(tenant, each, tenant.things[each.kind] ?? '')
    // The fleet itself changes these meanwhile: it sweeps every judge for drift and retries failed deliveries; metrics end
    // now.
    const stable = body
      .replace(/"drift_checked_at":("[^"]*"|null)/, '')
      .replaceAll(/\{"at":"[^"]*","ready"/g, '{"ready"')
      .replaceAll(/"attempts":\[[^\]]*\],"next_attempt_at":("[^"]*"|null)/g, '')
    return [named(each)[0], status, status === 200 ? stable : '']
  })
  return Promise.all(answers)
}

describe('an object of another workspace', () => {
  let before: Awaited<ReturnType<typeof everythingOf>>
  beforeAll(async () => {
    before = await everythingOf(victim)
  })

  it.each(references.map(named))('cannot be distinguished from a missing one: %s', async (_name, reference) => {
    const foreign = victim.things[reference.kind] ?? ''
    const answer = await ask(other, reference, foreign)
    const [none, malformed] = [await ask(other, reference, absentName(foreign)), await ask(other, reference, "x'--")]
    expect(findLeaks(answer, none)).toEqual([])
    if (reference.where === 'params') expect(answer.status).toBe(404)
    expect([none.status, malformed.status].filter((status) => status >= 500)).toEqual([])
  })

  it('receives no spans and no requests of a workspace that names its trace', async () => {
    const { trace } = victim.things
    await sendSpan(other.api, trace)
    const headers = { 'x-svc-trace-id': trace }
    const chat = await postChat(fleet, { model: 'sim/echo', apiKey: other.workspace.apiKey, headers })
    expect([chat.status, await chat.text()]).toMatchObject([200, expect.any(String)])
    // The workspace gets a trace of its own under this id.
    const own = await eventually(
      async () => {
        const { status, json } = await other.api('GET', `/traces/${trace}`)
        return status === 200 && json.steps === 1 ? json : null
      },
      { withinMs: 45_000, everyMs: 100 },
    )
    expect(own.spans).toHaveLength(1)
    const { json } = await victim.api('GET', `/traces/${trace}`)
    expect([json.steps, json.spans.length]).toEqual([60, 1])
  })

  it('is unchanged afterwards', async () => {
    expect(before.map(([name, status]) => [name, status])).toEqual(
      reads.map((each) => [named(each)[0], refusals.get(named(each)[0]) ?? 200]),
    )
    expect(await everythingOf(victim)).toEqual(before)
  })
})

/** References where also the caller's own object is refused. */
const unfit: Readonly<Record<string, readonly [status: number, ...names: string[]]>> = {
  'an alias is no model of the catalog': [
    404,
    'GET /v1/models/*id params id',
    'DELETE /v1/models/*id params id',
    ...['POST /v1/dedicated/endpoints body model', 'GET /v1/dedicated/hardware query model'],
    ...['POST /v1/criteria body judge_model', 'PATCH /v1/criteria/:id body judge_model'],
    ...['POST /v1/criteria/suggest body model', 'POST /v1/criteria/:id/improve body model'],
    ...['POST', 'POST /estimate'].flatMap((each) => {
      const [method, rest = ''] = each.split(' ')
      return ['baseline_model', 'candidate_models', 'judge_model'].map(
        (field) => `${method} /v1/evals${rest} body ${field}`,
      )
    }),
  ],
  'nor may an alias lead to another': [
    400,
    ...['target_model', 'canary_model', 'shadow_model', 'family_rules[].model'].map(
      (field) => `PUT /v1/aliases body ${field}`,
    ),
  ],
  'its model only chats': [
    400,
    ...[
      ...['/v1/embeddings', '/v1/rerank', '/v2/rerank', '/v1/moderations', '/v1/images/generations'],
      '/v1/audio/speech',
    ].flatMap((path) => ['model', 'models'].map((field) => `POST ${path} body ${field}`)),
  ],
  'its body is a form': [415, 'POST /v1/audio/transcriptions body model'],
  'its judge judges single exchanges': [400, 'POST /v1/criteria/:id/judge body trace_id'],
  'no exchange was answered by an alias': [
    400,
    'POST /v1/evals body sample_filters.model',
    'POST /v1/datasets/distill body filters.model',
  ],
  'it was not run in the background': [400, 'POST /v1/responses/:id/cancel params id'],
  'a response is no item of its own': [404, 'GET /v1/responses/:id/input_items query after'],
  'it is being tried': [
    409,
    ...['id', 'delivery_id'].map((name) => `POST /v1/webhooks/:id/deliveries/:delivery_id/replay params ${name}`),
  ],
  'the workspace does not log the Responses API': [404, 'POST /v1/feedback body response_id'],
  'a judge takes part once': [400, 'POST /v1/cascades body members[].criterion_id'],
  'it is over': [
    409,
    'POST /v1/evals/:id/cancel params id',
    'POST /v1/batches/:id/cancel params id',
    ...['cancel', 'pause', 'resume'].map((change) => `POST /v1/fine_tuning/jobs/:id/${change} params id`),
    ...['pause', 'resume'].map((change) => `POST /v1/grpo/runs/:id/${change} params id`),
  ],
  'an alias has no weights to train': [
    400,
    ...['', '/estimate'].map((rest) => `POST /v1/fine_tuning/jobs${rest} body model`),
  ],
  'validating with all examples leaves none to train on': [
    400,
    ...['', '/estimate'].flatMap((rest) =>
      ['evalDatasetId', 'validationFile'].map((field) => `POST /v1/fine_tuning/jobs${rest} body ${field}`),
    ),
  ],
  'its judge is not proven': [
    412,
    ...['', '/estimate'].flatMap((rest) =>
      ['reward.criteria[].criterionId', 'holdout.criterionId'].map(
        (field) => `POST /v1/grpo/runs${rest} body ${field}`,
      ),
    ),
  ],
  'an alias sends requests to it': [
    409,
    ...['reject', 'archive'].map((change) => `POST /v1/model_versions/:id/${change} params id`),
  ],
  'its prompts are too few for a run': [
    400,
    ...['', '/estimate'].flatMap((rest) =>
      ['datasetId', 'evalDatasetId', 'warmStartFrom', 'environment.toolIds', 'afterTraining.criterionId'].map(
        (field) => `POST /v1/grpo/runs${rest} body ${field}`,
      ),
    ),
  ],
  'an alias has no chat model of its own': [404, 'POST /v1/grpo/rewards/test body model'],
  'its tool may not reward': [
    400,
    ...['runs', 'runs/estimate', 'rewards/test'].map(
      (path) => `POST /v1/grpo/${path} body reward.tools[].environmentToolId`,
    ),
  ],
  'the reward has no judges that another model could replace': [
    400,
    ...['', '/estimate'].map((rest) => `POST /v1/grpo/runs${rest} body holdout.judgeModel`),
  ],
  'a job is no event or checkpoint of its own': [
    404,
    ...['events', 'checkpoints'].map((list) => `GET /v1/fine_tuning/jobs/:id/${list} query after`),
  ],
  'the gate of an alias relies on it': [409, 'DELETE /v1/criteria/:id params id'],
}
const refusals = new Map(Object.values(unfit).flatMap(([status, ...names]) => names.map((name) => [name, status])))

describe('an object of the caller', () => {
  const order = (each: Reference) => (each.endpoint.method === 'delete' ? 1 : 0)
  it.each(references.toSorted((a, b) => order(a) - order(b)).map(named))('serves: %s', async (name, reference) => {
    const expected = refusals.get(name)
    const answer = await eventually(
      async (): Promise<SeenAnswer | null> => {
        const seen = await ask(other, reference, other.things[reference.kind] ?? '')
        return seen.status === 409 && expected !== 409 ? null : seen
      },
      { withinMs: 45_000, everyMs: 200 },
    )
    const isRight = expected === undefined ? answer.status < 300 : answer.status === expected
    expect([isRight, isRight ? '' : `${answer.status} ${answer.body.slice(0, 500)}`]).toEqual([true, ''])
  })
})
