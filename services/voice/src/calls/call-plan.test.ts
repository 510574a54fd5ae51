import { CreateAgent } from '@ratchet/contracts/voice/agents'
import { newAgent } from '../voice-app.fixture.ts'
import { planCall } from './call-plan.ts'
import { callVariables, fillIn } from './call-variables.ts'
import { spokenLines } from './spoken-lines.ts'
import { storedTexts } from './stored-text.ts'

const specOf = (fields: object = {}) => CreateAgent.parse({ ...newAgent, language: 'en-US', ...fields })
const plan = (fields: object = {}, input: object = {}) =>
  planCall({
    spec: specOf(fields),
    tools: [],
    overrides: {},
    variables: {},
    isResumed: false,
    isTelephone: false,
    isDialed: false,
    ...input,
  })

it.each([
  [{ first_message: 'Hello {{company}}.' }, {}, 'You are talking to an artificial voice. Hello X.'],
  [{ first_message: 'Hello.', ai_disclosure: false }, {}, 'Hello.'],
  [{ first_message: 'Hello.', first_message_mode: 'caller_speaks', ai_disclosure: false }, {}, null],
  [{ ai_disclosure: false }, { overrides: { firstMessage: 'Hi {{company}}.' } }, 'Hi X.'],
  [{ first_message: 'Hello.', ai_disclosure: false }, { overrides: { firstMessage: null } }, null],
  [{ first_message: 'Hello.' }, { isResumed: true }, spokenLines('en').resumed],
  [{ language: 'de-DE', first_message: 'Hallo.' }, {}, `${spokenLines('de').disclosure} Hallo.`],
])('begins with what the agent and the call say: %j %j', (fields, input, first) => {
  expect(plan(fields, { variables: { company: 'X' }, ...input }).settings.firstMessage).toBe(first)
})

it('takes limits of the call instead of those of the agent, and tells the model of the tools that exist', () => {
  const tools = [
    {
      name: 'find',
      settings: { description: 'Finds.', parameters: { type: 'object' }, speak_after_ms: 100, filler: 'Wait.' },
    },
  ]
  const { settings, writer } = plan({ end_call: true }, { tools, overrides: { maxDurationSeconds: 60 } })
  expect(settings.maxDurationMs).toBe(60_000)
  expect(settings.tools).toEqual({ find: { speakAfterMs: 100, filler: 'Wait.' } })
  expect(writer.tools.map(({ name }) => name)).toEqual(['find', 'end_call'])
  expect(plan({ end_call: false }).writer.tools).toEqual([])
})

it('divides variables into open and secret ones, and refuses what the agent does not declare', () => {
  const spec = specOf({
    variables: [
      { name: 'company', default: 'X' },
      { name: 'code', secret: true, required: true },
    ],
  })
  expect(callVariables(spec, { code: '1' })).toEqual({ open: { company: 'X' }, secret: { code: '1' } })
  expect(() => callVariables(spec, {})).toThrow('required')
  expect(() => callVariables(spec, { code: '1', constructor: 'x' })).toThrow('declares no variable')
  expect(fillIn('{{ company }} {{other}} {{toString}}', { company: '$&' })).toBe('$& {{other}} {{toString}}')
})

it('stores no secret value, no secret keys, and no credential unless the agent says so', () => {
  const key = `sk-${'a1B2c3D4e5F6g7H8i9J0'.repeat(2)}`
  const said = `[keypad] 4711# my code is tango and ${key}`
  const texts = storedTexts(specOf({ dtmf: { secret: true } }), ['tango', ''])
  expect(texts.text(said)).toMatch(/^\[keypad\]\s?my code is \[secret\] and /)
  expect(texts.text(said)).not.toContain(key)
  const open = storedTexts(specOf({ privacy: { redact_transcript: false } }), [])
  expect(open.text(said)).toBe(said)
})

it('lets a model transfer a call to targets by their names, where there is a carrier', () => {
  const transfers = [{ name: 'desk', to: '+493012345678', description: 'A person.' }]
  expect(plan({ transfers }).writer.tools.map(({ name }) => name)).toEqual(['end_call'])
  const { writer, settings } = plan({ transfers }, { isTelephone: true })
  const [tool] = writer.tools
  expect(tool?.description).toContain('desk: A person.')
  expect(JSON.stringify(writer)).not.toContain('+4930')
  expect(settings.tools).toHaveProperty('transfer_call')
})

it('lets a model press keys where there is a telephone, and stores none that are secret', () => {
  const canSend = { dtmf: { can_send: true } }
  const toolsOf = ({ writer }: ReturnType<typeof plan>) => writer.tools.map(({ name }) => name)
  expect(toolsOf(plan(canSend))).toEqual(['end_call'])
  expect(toolsOf(plan({}, { isTelephone: true }))).toEqual(['end_call'])
  const phone = plan(canSend, { isTelephone: true })
  expect(toolsOf(phone)).toEqual(['send_dtmf', 'end_call'])
  expect(phone.settings.tools).toHaveProperty('send_dtmf')
  const call = { id: '1', name: 'send_dtmf', arguments: '{"keys":"4711"}' }
  const turn = { role: 'tool', text: 'Done.', call } as unknown as Parameters<ReturnType<typeof storedTexts>['turn']>[0]
  const storedWith = (dtmf: object) => storedTexts(specOf({ dtmf }), []).turn(turn).call?.arguments
  expect([storedWith({}), storedWith({ secret: true })]).toEqual(['{"keys":"4711"}', '{}'])
})
