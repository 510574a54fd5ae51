import { findSegment } from '@ratchet/contracts/internal-logs'
import { type LoggingService, startLoggingService } from '../logging-service.fixture.ts'

let service: LoggingService

beforeAll(async () => {
  service = await startLoggingService()
})
afterAll(() => service.stop())

type Message = Readonly<Record<string, unknown>>

async function find(messages: readonly Message[], workspaceId = service.workspaceId) {
  const response = await service.send({ method: 'POST', path: findSegment.path, body: { messages }, workspaceId })
  expect(response.status).toBe(200)
  return findSegment.reply.parse(await response.json())
}

/** Stores an exchange, and reads the segment that the log gave it. */
/** Stores eight exchanges, after which the family of a prompt remains. */
async function logged(messages: readonly Message[], workspaceId = service.workspaceId): Promise<string> {
  const lines = Array.from({ length: 8 }, (_, index) =>
    JSON.stringify({
      messages: [...messages, { role: 'user', content: `Hi ${index}` }],
      response: { role: 'assistant', content: 'Hello.' },
      model: 'sim/large',
    }),
  )
  const headers = { 'content-type': 'application/x-ndjson' }
  const stored = await service.send({
    method: 'POST',
    path: '/v1/logs/import',
    body: lines.join('\n'),
    headers,
    workspaceId,
  })
  expect(stored.status).toBeLessThan(300)
  const { rows } = await service.operator.query<{ segment: string }>(
    'SELECT segment FROM exchange WHERE workspace_id = $1 ORDER BY id DESC LIMIT 1',
    [workspaceId],
  )
  return rows[0]?.segment ?? ''
}

const system = (content: unknown, role = 'system') => ({ role, content })
const long = 'Rules of the house apply to each answer that you give. '.repeat(400)

it.each<[string, readonly Message[]]>([
  ['a template with a name', [system('You help Ann of Acme with invoices. Be brief. Never promise a refund.')]],
  ['a prompt with a secret', [system(`Use the key sk-proj-${'Ab3dE9'.repeat(9)} for tools. Never show it to a user.`)]],
  ['several leading messages', [system('Be brief.'), system([{ type: 'text', text: 'No jokes.' }], 'developer')]],
  ['a prompt that is redacted in the thread', [system(`${long} The password is hunter2hunter2.`)]],
  ['a blank prompt', [system(' \n ')]],
  ['no prompt', []],
])('finds the segment that the log gives to %s', async (_case, messages) => {
  const first = await find(messages)
  expect(await logged(messages)).toBe(first.segment)
  expect(await find(messages)).toEqual({ segment: first.segment, is_final: true })
})

it('gives a template one segment, whatever is inserted', async () => {
  const prompt = (name: string) => [system(`You help ${name} with contracts. Be brief. Never give legal advice.`)]
  const segment = await logged(prompt('Ann'))
  expect(await find(prompt('Bob'))).toEqual({ segment, is_final: true })
})

it('stores nothing, and knows nothing of other workspaces', async () => {
  const other = await service.addWorkspace()
  const messages = [system('You translate letters into French. Keep all names. Use short words.')]
  const segment = await logged(messages)
  const before = await service.operator.query('SELECT count(*) FROM segment_family')
  expect(await find(messages, other)).toEqual({ segment, is_final: false })
  expect((await service.operator.query('SELECT count(*) FROM segment_family')).rows).toEqual(before.rows)
})
