import { recordedActionOf } from '@ratchet/contracts/changes'
import { operationName } from '@ratchet/contracts/endpoint'
import { voiceEndpoints } from '@ratchet/contracts/voice/voice-endpoints'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { choosePort } from '@ratchet/infra/processes/free-port'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { loopback } from './sip/real-agent.ts'
import { agentSettings, startVoiceFleet, type VoiceFleet } from './voice/voice-fleet.ts'

/* Every endpoint of the voice interface that changes a workspace leaves one entry in its log. */

let voice: VoiceFleet
let pool: Pool
beforeAll(async () => {
  const sip = `${loopback}:${await anyFreePort()}`
  const port = await choosePort({ preferred: 35_800 })
  // Without them, an installation takes no trunks.
  const telephones = { SIP_LISTEN: sip, SIP_ADDRESS: sip, RTP_PORTS: `${port}-${port + 99}` }
  voice = await startVoiceFleet({ env: telephones })
  pool = connectPool({ databaseUrl: voice.fleet.databaseUrl, max: 2 })
}, 300_000)
afterAll(async () => {
  await pool?.end()
  await voice?.stop()
}, 180_000)

async function actions(): Promise<readonly string[]> {
  const { rows } = await pool.query<{ action: string }>(
    "SELECT content::json ->> 'action' AS action FROM audit_log WHERE workspace_id = $1 ORDER BY position",
    [voice.workspace.workspaceId],
  )
  return rows.map(({ action }) => action)
}

const tool = {
  name: 'lookup',
  description: 'Looks up.',
  parameters: { type: 'object' },
  http: { url: 'https://tools.example.com/lookup' },
}
const sip = { termination_uri: 'sip:1.2.3.4', allowed_ips: ['1.2.3.4'] }
const number = { e164: '+493012345678', provider: 'sip', sip }

/** A call of the interface. `:id` is what the first one of its collection created. */
const calls: readonly (readonly [name: string, body?: object])[] = [
  ['POST /v1/agents', agentSettings],
  ['PATCH /v1/agents/:id', { name: 'Evening' }],
  ['POST /v1/agents/:id/versions/:version/publish', {}],
  ['POST /v1/tools', tool],
  ['PATCH /v1/tools/:id', { description: 'Looks up orders.' }],
  ['POST /v1/numbers', number],
  ['PATCH /v1/numbers/:id', { max_concurrent: 3 }],
  ['DELETE /v1/numbers/:id'],
  ['DELETE /v1/tools/:id'],
  ['DELETE /v1/agents/:id'],
]

/** They need a call that has ended, or a judge of calls that is proven. */
const notCalled = ['PUT /v1/agents/:id/canary', 'DELETE /v1/agents/:id/canary', 'DELETE /v1/calls/:id']

it('calls every endpoint that changes something', () => {
  const changing = voiceEndpoints.filter((endpoint) => recordedActionOf(endpoint) !== null).map(operationName)
  expect([...calls.map(([name]) => name), ...notCalled].toSorted()).toEqual(changing.toSorted())
})

it('leaves one entry of each, and none of a refusal', async () => {
  const ids = new Map<string, string>()
  const expected: string[] = []
  for (const [name, body] of calls) {
    const [method, path = ''] = name.split(' ') as ['POST' | 'PATCH' | 'DELETE', string]
    const collection = path.split('/')[2] ?? ''
    const place = path
      .replace('/v1', '')
      .replace(':id', ids.get(collection) ?? '')
      .replace(':version', '1')
    const hasFields = Object.keys(body ?? {}).length > 0
    const refused = hasFields ? (await voice.ask(method, place, { nonsense: true })).status : 400
    const { status, body: answer } = await voice.ask(method, place, body)
    if (status === 201) ids.set(collection, answer.id)
    const endpoint = voiceEndpoints.find((each) => operationName(each) === name)
    expected.push((endpoint && recordedActionOf(endpoint)) ?? '')
    expect([name, refused >= 400, status < 300, JSON.stringify(answer)]).toEqual([name, true, true, expect.any(String)])
    expect(await actions()).toEqual(expected)
  }
}, 120_000)
