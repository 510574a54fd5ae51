import { createSchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import { newTool } from '../voice-app.fixture.ts'
import { toolsOfCall } from './call-tools.ts'
import type { StoredTool } from './voice-tool.ts'

const tool = {
  workspaceId: 'w',
  id: 't',
  name: 'find_order',
  settings: { parameters: newTool.parameters },
} as unknown as StoredTool

const results = (json: string, name = tool.name) => {
  const said: string[] = []
  const caller = toolsOfCall(
    {
      rules: { customHosts: false, allowedHosts: new Set() },
      now: () => new Date(0),
      schemas: createSchemaChecks(),
      secrets: {
        open() {
          throw new Error('the tool would be called')
        },
      },
    },
    { callId: '00000000-0000-4000-8000-000000000000', tools: [tool] },
  )
  caller.call({ id: 'c1', name, arguments: json }, (text) => said.push(text))
  return said
}

it.each([
  ['{"number": 7}', /argument \/number must be string/],
  ['{}', /must have required property 'number'/],
  ['[]', /must be a JSON object/],
  ['{"number": ', /must be a JSON object/],
])('calls nothing with arguments that do not fit, and says what is wrong: %s', (json, problem) => {
  expect(results(json)).toEqual([expect.stringMatching(problem)])
})

it('knows no tool of another name', () => {
  expect(results('{}', 'other')).toEqual(['There is no tool of this name.'])
})
