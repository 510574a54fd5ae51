import { recordedActionOf, recordedByFeature } from '@ratchet/contracts/changes'
import { type Endpoint, operationName } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { askForAnswer } from './tenants/ask-for.ts'
import { createTenant, type Tenant } from './tenants/own-things.ts'
import { type Reference, referencesOf } from './tenants/references.ts'

/* Every public endpoint that changes a workspace, called once as a workspace does: one entry of its log, or none when it is refused. */

let fleet: SharedFleet
let pool: Pool
let tenant: Tenant

beforeAll(async () => {
  fleet = await shareFleet()
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
  tenant = await createTenant(fleet, 'sealed')
}, 300_000)
afterAll(() => pool?.end())

interface Entry {
  readonly action: string
  readonly user_id: string
  readonly key_id: string
  readonly request_id: string
}

async function entriesOf(requestId: string): Promise<readonly Entry[]> {
  const { rows } = await pool.query<{ content: string }>(
    "SELECT content FROM audit_log WHERE workspace_id = $1 AND content::json ->> 'request_id' = $2",
    [tenant.workspace.workspaceId, requestId],
  )
  return rows.map(({ content }) => JSON.parse(content))
}

/** Fields of bodies that are missing in those of `askForAnswer`. */
const required: Readonly<Record<string, string>> = {
  'POST /v1/datasets': 'file_id',
  'POST /v1/datasets/from_evals': 'eval_ids',
}

/** A reference in the path, or in a field that the body needs, with which the request names an own object. */
function referenceOf(endpoint: Endpoint): Reference {
  const needed = required[operationName(endpoint)]
  const found = referencesOf(endpoint).find(({ where, field }) => where === 'params' || field === needed)
  return found ?? { endpoint, where: 'params', field: '', kind: 'alias' }
}

const changing = endpoints.filter(
  (endpoint) => recordedActionOf(endpoint) !== null || recordedByFeature.has(operationName(endpoint)),
)
const order = ({ method }: Endpoint) => (method === 'delete' ? 1 : 0)
const sorted = changing.toSorted((a, b) => order(a) - order(b))

/** Calls that change nothing here, with the reason. Each leaves no entry. */
const unchanged: Readonly<Record<string, readonly string[]>> = {
  'it is a rehearsal': [
    'POST /v1/datasets/from_logs',
    'POST /v1/criteria/:id/calibrate',
    'POST /v1/environment_tools/from_traces',
  ],
  'its body is a form or lines': ['POST /v1/files', 'POST /v1/model_versions/import', 'POST /v1/logs/import'],
  'it is over': [
    'POST /v1/evals/:id/cancel',
    'POST /v1/batches/:id/cancel',
    ...['cancel', 'pause', 'resume'].map((change) => `POST /v1/fine_tuning/jobs/:id/${change}`),
    ...['pause', 'resume'].map((change) => `POST /v1/grpo/runs/:id/${change}`),
  ],
  'an alias is no model that was trained': ['DELETE /v1/models/*id'],
  'the prompts are too few': ['POST /v1/grpo/runs'],
  'it is so already': ['PUT /v1/criteria/:id/monitor', 'POST /v1/aliases/:name/rollback'],
  'a judge takes part once': ['POST /v1/cascades'],
  'an alias sends requests to it': ['POST /v1/model_versions/:id/reject', 'POST /v1/model_versions/:id/archive'],
}
const excused = new Set(Object.values(unchanged).flat())

it.each(sorted.map((endpoint): [string, Endpoint] => [operationName(endpoint), endpoint]))(
  'leaves one entry when it changes something: %s',
  async (name, endpoint) => {
    const reference = referenceOf(endpoint)
    const answer = await askForAnswer(
      {
        url: fleet.url,
        headers: { authorization: `Bearer ${tenant.workspace.apiKey}` },
        things: tenant.things,
      },
      reference,
      tenant.things[reference.kind] ?? '',
    )
    const entries = await entriesOf(answer.headers['x-request-id'] ?? '')
    const isMade = answer.status < 300 && !excused.has(name)
    expect([isMade, isMade ? '' : `${answer.status} ${answer.body.slice(0, 300)}`, entries.length]).toEqual(
      excused.has(name) ? [false, expect.any(String), 0] : [true, '', 1],
    )
    const { userId, keyId } = tenant.workspace
    const action = recordedActionOf(endpoint) ?? expect.stringMatching(/^(judge|alias)\./)
    if (isMade) expect(entries).toMatchObject([{ action, user_id: userId, key_id: keyId }])
  },
)

it('leaves nothing begun', async () => {
  const { rows } = await pool.query('SELECT action FROM begun_change WHERE workspace_id = $1', [
    tenant.workspace.workspaceId,
  ])
  expect(rows).toEqual([])
})
