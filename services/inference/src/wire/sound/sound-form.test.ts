import { readSmallForm } from '@ratchet/service-kit/http/read-small-form'
import { writeSoundForm } from './sound-form.ts'

it('writes a form that is read as the same fields and file', async () => {
  const data = Buffer.from('--ratchet\r\n"sound"\0').toString('base64')
  const body = {
    model: 'm',
    prompt: 'two\r\nlines',
    'times[]': ['word', 'segment'],
    absent: null,
    file: { name: 'a "b".wav', data },
  }
  const { bytes, contentType } = writeSoundForm(body)
  const { fields, file } = await readSmallForm(bytes, contentType)
  expect(Object.fromEntries(fields)).toEqual({ model: 'm', prompt: 'two\r\nlines', 'times[]': ['word', 'segment'] })
  expect([file?.filename, file?.bytes.toString('base64')]).toEqual(['a__b_.wav', data])
})
