import { editTopLevel } from '@ratchet/service-kit/json/edit-json'
import { readObject } from '../chat/read-reply.ts'
import { exactEdits } from './exact-json.ts'

function request(text: string) {
  const bytes = Buffer.from(text)
  const read = readObject(bytes)
  if (read === null) throw new Error('not an object')
  return { bytes, ...read }
}

it.each(['9007199254740993', '1.0', '1e400', '-0.0000001000', '1E2'])('writes %s as the client wrote it', (number) => {
  const asked = request(`{"tools":[{"parameters":{"maximum":${number}}},{"type":"x"}],"n":1}`)
  const edits = exactEdits(asked, ({ tools }) => ({ tools: JSON.stringify((tools as unknown[]).slice(0, 1)) }))
  expect(editTopLevel(asked.bytes, asked.scan, edits).toString()).toBe(
    `{"tools":[{"parameters":{"maximum":${number}}}],"n":1}`,
  )
})

it('edits once when no member is written again that has such a number', () => {
  let calls = 0
  exactEdits(request('{"store":true,"input":[{"x":1.50}],"temperature":0.70}'), () => {
    calls += 1
    return { store: 'false', input: undefined }
  })
  expect(calls).toBe(1)
})
