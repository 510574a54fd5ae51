import { connectPrisma } from '@ratchet/db/connect'
import { changeWorkspaceSettings } from '@ratchet/db/workspace-settings'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true, retentionDays: 7 })
  await say('one', { 'x-svc-tag': 'a', 'x-svc-trace-id': 'run-1' })
  await say('two', { 'x-svc-tag': 'b', 'x-svc-trace-id': 'run-1' })
  await say('three zebras', { 'x-svc-tag': 'a' })
  await eventually(async () => ((await list('')).total === 3 ? true : null), { withinMs: 45_000, everyMs: 100 })
}, 300_000)

async function say(content: string, headers: Record<string, string>): Promise<void> {
  const { apiKey } = workspace
  const messages = [
    { role: 'system', content: 'Say it again.' },
    { role: 'user', content },
  ]
  const response = await postChat(fleet, { model: 'sim/echo', apiKey, headers, body: { messages } })
  await response.text()
  expect(response.status).toBe(200)
}

interface Asked {
  readonly apiKey?: string
  readonly method?: string
  readonly accept?: string
}

function ask(path: string, { apiKey = workspace.apiKey, method = 'GET', accept = '*/*' }: Asked = {}) {
  return fetch(`${fleet.url}${path}`, { method, headers: { authorization: `Bearer ${apiKey}`, accept } })
}

async function read<Body>(path: string): Promise<Body> {
  const response = await ask(path)
  expect(response.status).toBe(200)
  return (await response.json()) as Body
}

interface Listed {
  readonly total: number
  readonly data: readonly {
    readonly id: string
    readonly messages: readonly { readonly content: string }[]
    readonly response: { readonly content: string }
    readonly step_index: number | null
    readonly segment: string
  }[]
}

const list = (query: string) => read<Listed>(`/v1/logs${query}`)
const saidIn = ({ data }: Pick<Listed, 'data'>) => data.map(({ messages }) => messages.at(-1)?.content)

it('lists exchanges by filter and page by page', async () => {
  const all = await list('')
  expect(saidIn(all)).toEqual(['three zebras', 'two', 'one'])
  expect(saidIn(await list('?tag=a'))).toEqual(['three zebras', 'one'])
  expect(saidIn(await list('?trace_id=run-1&model=sim/echo'))).toEqual(['two', 'one'])
  expect(saidIn(await list('?q=ZEBRAS'))).toEqual(['three zebras'])
  expect(saidIn(await list(`?segment=${all.data[0]?.segment}`))).toHaveLength(3)
  expect(saidIn(await list(`?limit=1&after=${all.data[0]?.id}`))).toEqual(['two'])
  const without = await list('?content=none&limit=1')
  expect(Object.keys(without.data[0] ?? {})).not.toContain('messages')
  const one = await read(`/v1/logs/${all.data[1]?.id}`)
  expect(one).toEqual({ ...all.data[1], feedback: [] })
  expect(one).toMatchObject({ step_index: 1, trace_id: 'run-1', tag: 'b', source: 'gateway' })
})

it('exports training examples through the edge', async () => {
  const response = await ask('/v1/logs/export?tag=a')
  expect(response.headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
  const lines = (await response.text()).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).messages.map(({ role }: { role: string }) => role))).toEqual([
    ['system', 'user', 'assistant'],
    ['system', 'user', 'assistant'],
  ])
})

it('groups the steps of a run', async () => {
  expect(await read('/v1/traces')).toMatchObject({
    data: [{ id: 'run-1', steps: 2, tags: ['a', 'b'], completed: false }],
  })
  const trace = await read<Listed>('/v1/traces/run-1')
  expect(saidIn(trace)).toEqual(['one', 'two'])
  const exported = await read<{ messages: object[]; steps: object[] }>('/v1/traces/run-1/export')
  expect([exported.messages.length, exported.steps.length]).toEqual([3, 2])
})

it('lists the segments of the traffic', async () => {
  expect(await read('/v1/logs/segments')).toMatchObject({
    data: [{ exchanges: 3, exact_variants: 1, sample: 'Say it again.' }],
  })
})

it('gives requests of one application one segment, whatever it inserts in its instructions', async () => {
  const { apiKey } = await workspaceWith(fleet, { loggingEnabled: true })
  const languages = ['English', 'French', 'German', 'Polish', 'Greek', 'Swedish']
  const tables = ['teams', 'sensors', 'recipes', 'venues', 'parcels', 'courses']
  const places = Array.from({ length: 6 }, (_, index) => index)
  const applications = [
    (n: number) =>
      `Write SQL for the analysts. Answer with SQL only.\n\nCREATE TABLE ${tables[n]} (\n  id INTEGER,\n  ${tables[(n + 1) % 6]}_id INTEGER\n);`,
    (n: number) =>
      `You are a translation engine. Source language: ${languages[n]}. Target language: ${languages[(n + 2) % 6]}. Output only the translation.`,
    (n: number) =>
      `Du hilfst den Kunden der Werkstatt. Nenne keine Preise.\n\nTermine:\n${places
        .slice(0, n + 1)
        .map((hour) => `- ${8 + hour}:30 Uhr Inspektion, Kennzeichen B-XY ${100 + 7 * n + hour}`)
        .join('\n')}`,
    (n: number) =>
      `Decide whether a comment is toxic. Answer yes or no.\n\n${places
        .slice(0, n + 1)
        .map((each) => `Comment: The ${tables[each]} are number ${n}.\nAnswer: no`)
        .join('\n\n')}`,
  ]
  for (const place of places) {
    for (const system of applications) {
      const messages = [
        { role: 'system', content: system(place) },
        { role: 'user', content: 'Go.' },
      ]
      const response = await postChat(fleet, { model: 'sim/echo', apiKey, body: { messages } })
      await response.text()
      expect(response.status).toBe(200)
    }
  }
  const listed = await eventually(
    async () => {
      const found = (await (await ask('/v1/logs?limit=50', { apiKey })).json()) as Listed
      return found.total === 24 ? found.data : null
    },
    { withinMs: 45_000, everyMs: 100 },
  )
  const first = (text = '') => text.slice(0, 12)
  const pairs = new Set(listed.map(({ segment, messages }) => `${segment} ${first(messages[0]?.content)}`))
  expect(pairs.size).toBe(applications.length)
  expect(new Set(listed.map(({ segment }) => segment)).size).toBe(applications.length)
}, 120_000)

it('returns the setup status', async () => {
  const text = await (await ask('/v1/setup/status', { accept: 'text/plain' })).text()
  expect(text).toContain(`workspace.slug=${workspace.slug}\n`)
  expect(text).toContain('traffic.logged_conversations=3\n')
  expect(text).toContain('next.action=create_judge\n')
})

it('lets only owners and admins delete, and does not show deleted entries', async () => {
  const [newest] = (await list('?tag=b')).data
  const path = `/v1/logs/${newest?.id}`
  const { apiKey } = await workspace.addMember('member')
  expect((await ask(path, { apiKey, method: 'DELETE' })).status).toBe(403)
  expect((await ask(path, { apiKey: fleet.workspace.apiKey })).status).toBe(409) // it does not log
  expect((await ask(path, { method: 'DELETE' })).status).toBe(200)
  expect((await ask(path)).status).toBe(404)
  expect((await list('')).total).toBe(2)
})

it('refuses everything except the setup status when logging is off', async () => {
  const db = connectPrisma({ databaseUrl: fleet.databaseUrl, max: 1 })
  await changeWorkspaceSettings(db, { workspaceId: workspace.workspaceId, changes: { loggingEnabled: false } })
  await db.$disconnect()
  const paths = ['/v1/logs', '/v1/logs/export', '/v1/logs/segments', '/v1/logs/log_1', '/v1/traces', '/v1/traces/run-1']
  for (const path of paths) {
    const response = await ask(path)
    expect([path, response.status, await response.json()]).toMatchObject([
      path,
      409,
      { error: { code: 'logging_disabled' } },
    ])
  }
  expect(await read('/v1/setup/status')).toMatchObject({
    logging: { enabled: false },
    next: { action: 'enable_logging' },
  })
})
