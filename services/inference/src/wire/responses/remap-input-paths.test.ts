import { remapInputPaths } from './remap-input-paths.ts'

const places = [null, null, 0, 2]

it.each([
  ['input.2.content.0', 'input.0.content.0'],
  ['input.3', 'input.2'],
  ['input[3].content[1].image_url', 'input[2].content[1].image_url'],
  ['input.9.id', 'input.9.id'],
  ['input', 'input'],
  ['max_output_tokens', 'max_output_tokens'],
])('renames %s to the path in the client`s request', (param, name) => {
  const message = `Invalid '${param}': no (${param}).`
  expect(remapInputPaths({ param, message }, places)).toEqual({
    param: name,
    message: `Invalid '${name}': no (${name}).`,
  })
})

it('names a text input as a whole, however it was rewritten', () => {
  const complaint = { param: 'input.1.content.0.text', message: 'input.1.content.0.text is too long.' }
  expect(remapInputPaths(complaint, [null, 'whole'])).toEqual({ param: 'input', message: 'input is too long.' })
})

it('says when an earlier response is at fault', () => {
  const complaint = { param: 'input.1.content', message: 'input.1.content is too long.' }
  const message = 'In the responses before this one: input.1.content is too long.'
  expect(remapInputPaths(complaint, places)).toEqual({ param: 'previous_response_id', message })
})

it('reads the message when no field is named', () => {
  expect(remapInputPaths({ param: null, message: 'Bad input[3].' }, places)).toEqual({
    param: null,
    message: 'Bad input[2].',
  })
})
