import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { type Api, apiOf, createJudge, type Json, type LoggedExchange, sendTraffic } from './judged-traffic.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace
let other: DemoWorkspace
let api: Api
let traffic: readonly LoggedExchange[]

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  other = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  traffic = await sendTraffic(fleet, workspace, { model: 'sim/small', count: 8, tag: 'support' })
}, 300_000)

function importing(body: string | FormData, query = ''): Promise<{ status: number; json: Json }> {
  const type = typeof body === 'string' ? { 'content-type': 'application/jsonl' } : {}
  const headers = { authorization: `Bearer ${workspace.apiKey}`, ...type }
  return fetch(`${fleet.url}/v1/labels/import${query}`, { method: 'POST', headers, body }).then(async (answer) => ({
    status: answer.status,
    json: await answer.json(),
  }))
}

it('stores a grade with the graded content when the exchange is deleted', async () => {
  const id = traffic[0]?.id
  const { status, json } = await api('POST', '/labels', { log_id: id, verdict: 'fail', rationale: 'Wrong.' })
  expect([status, json.label, json.log_id, json.snapshot.model]).toEqual([201, 'fail', id, 'sim/small'])
  const entry = (await api('GET', `/logs/${id}`)).json
  expect(json.snapshot).toMatchObject({ messages: entry.messages, response: entry.response, segment: entry.segment })
  expect((await api('DELETE', `/logs/${id}`)).status).toBe(200)
  expect((await api('GET', `/labels/${json.id}`)).json).toEqual(json)
  const gone = await api('POST', '/labels', { log_id: id, label: 'pass' })
  expect(gone).toMatchObject({ status: 404, json: { error: { code: 'not_found', param: 'log_id' } } })
})

it('has one current grade per grader, and all in order, also with concurrent requests', async () => {
  const ids = traffic.slice(1, 4).map(({ id }) => id)
  const labels = (label: string, grader: string) => ids.map((log_id) => ({ log_id, label, grader }))
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      api('POST', '/labels', { labels: labels(n % 2 ? 'pass' : 'fail', n % 3 ? 'ann' : 'bob') }),
    ),
  )
  const listed = async (query: string) => (await api('GET', `/labels?limit=200&log_id=${ids[0]}${query}`)).json
  expect((await listed('')).total).toBe(2)
  const { data } = await listed('&include_superseded=true')
  const successors = data.flatMap(({ superseded_by }: Json) => superseded_by ?? [])
  // A machine under load may refuse some of them.
  expect(answers.filter(({ status }) => ![201, 429, 503].includes(status))).toEqual([])
  const stored = answers.filter(({ status }) => status === 201).length
  expect([data.length, successors.length, new Set(successors).size]).toEqual([stored, stored - 2, stored - 2])
  expect(stored).toBeGreaterThanOrEqual(6)
})

it('measures the agreement of two graders', async () => {
  // A separate population, so that grades of exchanges as a whole do not count for it.
  const { id } = await createJudge(api, 'sim/judge', { population: 'nothing' })
  const grades = traffic.slice(4, 8).flatMap(({ id: log_id }, n) => [
    { log_id, criterion_id: id, grader: 'ann', label: n < 2 ? 'pass' : 'fail' },
    { log_id, criterion_id: id, grader: 'bob', label: n < 3 ? 'pass' : 'fail' },
  ])
  expect((await api('POST', '/labels', { labels: grades })).json).toMatchObject({ created: 8, rejected: [] })
  const { json } = await api('GET', `/labels/agreement?criterion_id=${id}`)
  expect(json).toMatchObject({ pairs_n: 4, raw_agreement: 0.75, disagreements: [traffic[6]?.id] })
  expect(json.cohen_kappa).toBeCloseTo(0.5, 12)
})

it('imports grades once, without secrets, as lines or as a form', async () => {
  const secret = 'AKIAQYLPMN5HNM4OZ56B'
  const lines = Array.from({ length: 300 }, (_, n) =>
    JSON.stringify({
      messages: [{ role: 'user', content: `The key of ${n} is ${secret}` }],
      response: 'Noted.',
      label: n % 3 === 0 ? 'fail' : 'pass',
      rationale: `repeats ${secret}`,
      weight: 2,
    }),
  )
  const file = [...lines, '{"label":"pass"}'].join('\n')
  expect(await importing(file)).toMatchObject({ status: 202, json: { lines: 301, created: 300, refused: 1 } })
  const form = new FormData()
  form.append('file', new Blob([file]), 'grades.jsonl')
  expect(await importing(form)).toMatchObject({ status: 202, json: { created: 0, duplicates: 300, refused: 1 } })
  const headers = { authorization: `Bearer ${workspace.apiKey}` }
  const exported = await (await fetch(`${fleet.url}/v1/labels/export?source=import`, { headers })).text()
  expect(exported.trimEnd().split('\n')).toHaveLength(300)
  expect(exported).not.toContain(secret)
  expect(exported).toContain('The key of 7 is [redacted]')
})

it('shows grades only to their workspace, changes none, and accepts none from members or without logging', async () => {
  const { json } = await api('POST', '/labels', { log_id: traffic[1]?.id, label: 'pass' })
  const theirs = apiOf(fleet, other)
  const withoutId = ({ text }: { readonly text: string }) => text.replace(/"request_id":"[^"]*"/, '')
  const foreign = await theirs('GET', `/labels/${json.id}`)
  const absent = await theirs('GET', `/labels/lbl_${'0'.repeat(32)}`)
  expect([foreign.status, withoutId(foreign)]).toEqual([404, withoutId(absent)])
  expect((await theirs('GET', '/labels')).json.data).toEqual([])
  for (const method of ['PATCH', 'DELETE', 'PUT']) {
    expect(await api(method, `/labels/${json.id}`, {})).toMatchObject({
      status: 405,
      json: { error: { code: 'method_not_allowed' } },
    })
  }
  const member = apiOf(fleet, await workspace.addMember('member'))
  expect((await member('GET', `/labels/${json.id}`)).json).toEqual(json)
  const forbidden = await member('POST', '/labels', { log_id: traffic[1]?.id, label: 'pass' })
  expect(forbidden).toMatchObject({ status: 403, json: { error: { code: 'insufficient_permissions' } } })
  const silent = await workspaceWith(fleet, { loggingEnabled: false })
  const refused = await apiOf(fleet, silent)('POST', '/labels', { log_id: traffic[1]?.id, label: 'pass' })
  expect(refused).toMatchObject({ status: 409, json: { error: { code: 'logging_disabled' } } })
})
