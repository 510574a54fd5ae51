import { checkCatalog } from './check-catalog.ts'

const provider = (id: string, name = id) => ({
  id,
  name,
  adapter: 'openai',
  base_url: `https://api.${id}.test/v1`,
  api_key_env: 'KEY',
})

const model = (id: string, output = '0.60') => ({
  id,
  provider: id.split('/')[0],
  upstream_model: id,
  kind: 'chat',
  context_window: 8_192,
  max_output_tokens: 4_096,
  input_per_mtok: '0.15',
  cached_input_per_mtok: null,
  output_per_mtok: output,
  capabilities: ['chat'],
})

const file = (name: string, contents: object, asOf = '2026-11-01') => ({
  name,
  text: JSON.stringify({ as_of: asOf, source: 'a page', ...contents }),
})

describe('checkCatalog', () => {
  it('combines the files of a folder', () => {
    const checked = checkCatalog([
      [file('a.json', { providers: [provider('acme')] }), file('b.json', { models: [model('acme/fast')] })],
    ])
    expect(checked.problems).toEqual([])
    expect(checked.providers.map(({ id }) => id)).toEqual(['acme'])
    expect(checked.models).toEqual([
      expect.objectContaining({ asOf: '2026-11-01', entry: expect.objectContaining({ id: 'acme/fast' }) }),
    ])
  })

  it('lets a mounted layer replace and add entries', () => {
    const shipped = [
      file('shipped.json', { providers: [provider('acme')], models: [model('acme/a'), model('acme/b')] }),
    ]
    const mounted = file(
      'mounted.json',
      { providers: [provider('acme', 'Ours')], models: [model('acme/b', '9'), model('acme/c')] },
      '2026-11-20',
    )
    const { models, providers, problems } = checkCatalog([shipped, [mounted]])
    expect(problems).toEqual([])
    expect(providers.map(({ name }) => name)).toEqual(['Ours'])
    expect(models.map(({ entry, asOf }) => [entry.id, entry.output_per_mtok, asOf])).toEqual([
      ['acme/a', '0.60', '2026-11-01'],
      ['acme/b', '9', '2026-11-20'],
      ['acme/c', '0.60', '2026-11-20'],
    ])
  })

  it('lists every problem of every file with file, entry and field', () => {
    const { problems } = checkCatalog([
      [
        { name: 'broken.json', text: '{' },
        { name: 'list.json', text: '[]' },
        file('wrong.json', { models: [{ ...model('acme/fast'), output_per_mtok: 1 }, { id: 7 }], extra: true }),
      ],
    ])
    expect(problems).toEqual(
      expect.arrayContaining([
        'broken.json: is not JSON',
        expect.stringMatching(/^list\.json: Invalid input/),
        expect.stringMatching(/^wrong\.json: acme\/fast: output_per_mtok: must be a decimal string/),
        expect.stringMatching(/^wrong\.json: models\.1\.id: /),
        'wrong.json: Unrecognized key: "extra"',
      ]),
    )
  })

  it('refuses a repeated id in a layer, and a model of an unknown provider', () => {
    const { problems } = checkCatalog([
      [
        file('a.json', { providers: [provider('acme')], models: [model('acme/fast')] }),
        file('b.json', { providers: [provider('acme')], models: [model('acme/fast'), model('other/fast')] }),
      ],
    ])
    expect(problems).toEqual([
      'b.json: provider acme is already in a.json',
      'b.json: model acme/fast is already in a.json',
      'b.json: other/fast: provider "other" is not in any file',
    ])
  })

  it('does not report models when the file of their provider cannot be read', () => {
    const { problems } = checkCatalog([
      [{ name: 'providers.json', text: 'no' }, file('b.json', { models: [model('acme/fast')] })],
    ])
    expect(problems).toEqual(['providers.json: is not JSON'])
  })
})
