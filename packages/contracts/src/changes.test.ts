import { noChanges, recordedActionOf, recordedByFeature } from './changes.ts'
import { operationName } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { sessionEndpoints } from './session-endpoints.ts'
import { voiceEndpoints } from './voice/voice-endpoints.ts'

const writing = [...endpoints, ...sessionEndpoints, ...voiceEndpoints].filter(({ method }) => method !== 'get')
const excused = Object.values(noChanges).flat()

it.each(writing.map((endpoint): [string, (typeof writing)[number]] => [operationName(endpoint), endpoint]))(
  'says once how a change is recorded, or why it is none: %s',
  (name, endpoint) => {
    const said = [recordedActionOf(endpoint) !== null, recordedByFeature.has(name), excused.includes(name)]
    expect(said.filter(Boolean)).toHaveLength(1)
  },
)

it('says it of no endpoint that does not exist, and of none twice', () => {
  const names = new Set(writing.map(operationName))
  expect([...recordedByFeature, ...excused].filter((name) => !names.has(name))).toEqual([])
  expect(new Set(excused).size).toBe(excused.length)
})
