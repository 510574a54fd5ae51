import { Agent } from '@ratchet/contracts/voice/agents'
import {
  AgentForm,
  agentChanges,
  agentValues,
  mailboxChoices,
  mailboxOf,
  mailboxSettings,
  newAgentValues,
  recordingOf,
  recordingSettings,
  variablesNamed,
} from './agent-values.ts'

const named = { name: 'Reception', system_prompt: 'You answer.', language: 'en-US', voice: 'sim/readable', model: 'm' }
const agent = Agent.parse({
  ...AgentForm.parse({ ...newAgentValues, ...named }),
  object: 'agent',
  id: 'agent_1',
  dtmf: { enabled: true, finish_on: '*', timeout_ms: 900, secret: true, can_send: false },
  version: 3,
  published_version: 3,
  canary_version: null,
  created_at: '2026-11-18T10:00:00.000Z',
  updated_at: '2026-11-18T10:00:00.000Z',
})

it('has the defaults of the interface, and asks for what has none', () => {
  expect(AgentForm.parse({ ...newAgentValues, ...named })).toMatchObject({
    ...named,
    first_message: null,
    temperature: null,
    ai_disclosure: true,
    max_duration_seconds: 600,
  })
  const { error } = AgentForm.safeParse(newAgentValues)
  expect(error?.issues.map(({ path }) => path[0]).sort()).toEqual(Object.keys(named).sort())
})

it('sends what differs, as a whole, and keeps what the form does not show', () => {
  const values = agentValues(agent)
  expect(agentChanges(agent, values)).toBeNull()
  const changed = { ...values, first_message: 'Good day.', temperature: 0.5, dtmf: { ...values.dtmf, enabled: false } }
  expect(agentChanges(agent, changed)).toEqual({
    first_message: 'Good day.',
    temperature: 0.5,
    dtmf: { ...agent.dtmf, enabled: false },
  })
})

it('takes a text away that is emptied', () => {
  const spoken = { ...agent, first_message: 'Hello.' }
  expect(agentChanges(spoken, { ...agentValues(spoken), first_message: '' })).toEqual({ first_message: null })
})

it.each(['off', 'silent', 'announced', 'asked'] as const)('reads back the choice of a recording: %s', (choice) => {
  expect(recordingOf(recordingSettings(choice))).toBe(choice)
})

it('keeps what is known of a variable', () => {
  const shop = { name: 'shop', default: 'ours', required: true, secret: false }
  expect(variablesNamed(['shop', 'town'], [shop])).toEqual([
    shop,
    { name: 'town', default: null, required: false, secret: false },
  ])
})

it.each(mailboxChoices)('reads back what is done with a mailbox: %s', (choice) => {
  const before = { detect: false, action: 'hangup', message: null } as const
  expect(mailboxOf(mailboxSettings(choice, before))).toBe(choice)
  expect(mailboxOf(mailboxSettings(choice, { ...before, message: 'Call back.' }))).toBe(choice)
})

it('asks for the message that a mailbox gets', () => {
  const voicemail = mailboxSettings('message', newAgentValues.voicemail)
  const { error } = AgentForm.safeParse({ ...newAgentValues, ...named, voicemail })
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['voicemail.message'])
})
