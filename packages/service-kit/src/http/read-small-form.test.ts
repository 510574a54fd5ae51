import { readSmallForm } from './read-small-form.ts'

const type = 'multipart/form-data; boundary=b'
const part = (head: string, content: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`
const form = (...parts: string[]) => Buffer.from(`${parts.join('')}--b--\r\n`)

describe('readSmallForm', () => {
  it('reads fields, lists and the file', async () => {
    const body = form(
      part('name="model"', 'm'),
      part('name="times[]"', 'word'),
      part('name="file"; filename="a b.wav"', 'sound'),
      part('name="tag"', 'x'),
      part('name="tag"', 'y'),
    )
    const { fields, file } = await readSmallForm(body, type)
    expect(Object.fromEntries(fields)).toEqual({ model: 'm', 'times[]': ['word'], tag: ['x', 'y'] })
    expect([file?.filename, file?.bytes.toString()]).toEqual(['a b.wav', 'sound'])
  })

  it('has no file when there is none', async () => {
    expect((await readSmallForm(form(part('name="model"', 'm')), type)).file).toBeNull()
  })

  it.each<[string, Buffer, string, string]>([
    ['a field named file', form(part('name="file"', 'x')), type, 'file'],
    ['a name with a quote', form(part('name="a b"', 'x')), type, 'a b'],
    ['a long field', form(part('name="prompt"', 'x'.repeat(70_000))), type, 'prompt'],
    ['a file of another name', form(part('name="sound"; filename="a"', 'x')), type, 'file'],
    ['two files', form(part('name="file"; filename="a"', 'x'), part('name="file"; filename="b"', 'y')), type, 'file'],
    ['too many fields', form(...new Array(60).fill(part('name="a"', 'x'))), type, 'body'],
    ['an unfinished body', Buffer.from('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx'), type, 'body'],
    ['no boundary', form(), 'multipart/form-data', 'Content-Type'],
  ])('refuses %s', async (_, body, contentType, param) => {
    await expect(readSmallForm(body, contentType)).rejects.toMatchObject({ code: 'invalid_request', param })
  })
})
