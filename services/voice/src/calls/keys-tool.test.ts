import { withKeys } from './keys-tool.ts'

it('presses keys that a telephone has, and passes on calls of other tools', () => {
  const pressed: string[] = []
  const others: string[] = []
  let isThere = true
  const tools = withKeys({ call: ({ name }) => void others.push(name) }, (keys) => {
    pressed.push(keys)
    return isThere
  })
  const call = (json: string) => {
    const results: string[] = []
    tools.call({ id: '1', name: 'send_dtmf', arguments: json }, (text) => void results.push(text))
    return results
  }
  const done = call('{"keys":"42#"}')
  isThere = false
  const gone = call('{"keys":"*0D"}')
  const wrong = ['{"keys":""}', '{"keys":"1w2"}', '{"keys":7}', `{"keys":"${'1'.repeat(33)}"}`, 'null', '{'].map(call)
  tools.call({ id: '2', name: 'find_order', arguments: '{}' }, () => undefined)
  expect(pressed).toEqual(['42#', '*0D'])
  expect(new Set([done, gone, ...wrong].map(([text]) => text)).size).toBe(3)
  expect(others).toEqual(['find_order'])
})
