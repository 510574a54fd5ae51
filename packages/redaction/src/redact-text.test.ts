import { seededRandom } from '@ratchet/testing/seeded-random'
import fc from 'fast-check'
import { redactionMark, redactText } from './redact-text.ts'
import { lookAlikes } from './secrets/look-alikes.fixture.ts'
import { secretRecipes } from './secrets/secrets.fixture.ts'

const contexts: Readonly<Record<string, (text: string) => string>> = {
  alone: (text) => text,
  'in a sentence': (text) => `Please use ${text} for now, thanks.`,
  'on a line of its own': (text) => `Here it is:\n${text}\nand that is all.`,
  'between CRLF': (text) => `first\r\n${text}\r\nlast`,
  'in a code fence': (text) => `\`\`\`sh\n${text}\n\`\`\``,
  'in CJK': (text) => `请使用 ${text}，谢谢。`,
  'touching CJK': (text) => `这是${text}。`,
  'in an emoji': (text) => `🔑${text}🔑`,
  'in JSON': (text) => JSON.stringify({ a: 'x', note: text, b: 1 }),
  'after an escaped line break in JSON': (text) => JSON.stringify({ note: `see\n${text}\nend` }),
  'in JSON in JSON': (text) => JSON.stringify({ arguments: JSON.stringify({ note: `see\n${text}` }) }),
  'in JSON thrice': (text) => JSON.stringify([JSON.stringify([JSON.stringify({ note: `\t${text}\n` })])]),
  'in JSON with escaped slashes': (text) => JSON.stringify({ note: text }).replaceAll('/', '\\/'),
  'in JSON as Go writes it': (text) =>
    JSON.stringify({ note: text }).replaceAll('&', '\\u0026').replaceAll('<', '\\u003c').replaceAll('>', '\\u003e'),
  'in a query': (text) => `https://example.com/cb?state=1&next=${encodeURIComponent(text)}&x=2`,
  'in HTML': (text) =>
    `<p>${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</p>`,
}

/** True when a part of the secret is still readable in any spelling. */
function leaks(redacted: string, core: string): boolean {
  const spellings = [core, core.slice(4, 24), core.slice(-12)]
  let text = redacted
  for (let level = 0; level < 5; level++) {
    if (spellings.some((spelling) => text.includes(spelling))) return true
    text = text.replace(/\\(u[0-9a-f]{4}|.)/g, (_, code: string) => {
      if (code.startsWith('u') && code.length === 5) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
      return code === 'n' ? '\n' : code
    })
  }
  return spellings.some((spelling) => redacted.includes(encodeURIComponent(spelling)))
}

const cases = secretRecipes.map((recipe, index) => [`${recipe.kind} #${index}`, recipe, index] as const)

describe('redactText', () => {
  it('recognizes at least 25 kinds of secrets', () => {
    expect(new Set(secretRecipes.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(25)
  })

  it.each(cases)('removes %s entirely at any position, and counts it once', (_name, recipe, index) => {
    const random = seededRandom(index + 1)
    for (const [context, embed] of Object.entries(contexts)) {
      for (let round = 0; round < 8; round++) {
        const { text, core } = recipe.make(random)
        const written = embed(text)
        const redacted = redactText(written)
        const report = { context, written, redacted: redacted.text, kinds: Object.fromEntries(redacted.found) }
        expect({ ...report, leaks: leaks(redacted.text, core) }).toEqual({
          ...report,
          kinds: { [recipe.kind]: 1 },
          leaks: false,
        })
        expect(redacted.text.split(redactionMark)).toHaveLength(2)
      }
    }
  })

  it.each(lookAlikes)('does not change %j', (text) => {
    expect(redactText(text)).toEqual({ text, found: new Map() })
    expect(redactText(JSON.stringify({ text }))).toEqual({ text: JSON.stringify({ text }), found: new Map() })
  })

  it('leaves valid JSON valid', () => {
    const random = seededRandom(7)
    for (const recipe of secretRecipes) {
      const written = JSON.stringify({ a: [recipe.make(random).text], b: JSON.stringify(recipe.make(random).text) })
      expect(() => JSON.parse(redactText(written).text)).not.toThrow()
    }
  })

  it('counts every secret of a text, by kind', () => {
    const random = seededRandom(3)
    const made = secretRecipes.map((recipe) => recipe.make(random).text)
    const { text, found } = redactText(made.join('\n\n'))
    expect([...found.values()].reduce((sum, count) => sum + count, 0)).toBe(secretRecipes.length)
    expect(text.split(redactionMark)).toHaveLength(secretRecipes.length + 1)
  })

  it('finds both halves of a pair of AWS keys', () => {
    const random = seededRandom(5)
    const half = secretRecipes.find(({ kind }) => kind === 'aws_access_key')?.make(random).text ?? ''
    const other = secretRecipes.find(({ kind }) => kind === 'aws_secret_key')?.make(random).core ?? ''
    expect(redactText(`${half},${other}\n`).text).toBe('[redacted],[redacted]\n')
  })

  it('removes a private key that was cut off before its end', () => {
    const random = seededRandom(5)
    const key = secretRecipes.find(({ kind }) => kind === 'private_key')?.make(random).text ?? ''
    const cut = key.slice(0, 300)
    expect(redactText(`${cut}\n\nWhat is this?`).text).toBe('[redacted]\n\nWhat is this?')
  })

  it('redacts only the password of a URL', () => {
    const url = (password: string) => `postgres://app:${password}@db.internal:5432/shop`
    expect(redactText(url('p@ss/w0rd')).text).toBe(url(redactionMark))
  })

  it('reports the password of a URL by the kind of its scheme', () => {
    expect([...redactText('see constructor://u:pa55word@host').found]).toEqual([['url_password', 1]])
  })

  it('finds a labelled value behind a letter that gets longer in lower case', () => {
    const written = (value: string) => `İ <add key="ApiKey" value="${value}"/>`
    expect(redactText(written('g0d94yCCEsAf6UpIENCz77Qg')).text).toBe(written(redactionMark))
  })

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(textWithSecrets(), ({ written }) => {
        const once = redactText(written).text
        expect(redactText(once)).toEqual({ text: once, found: new Map() })
      }),
      { numRuns: 2_000 },
    )
  })

  it('always removes a secret between any two texts', () => {
    fc.assert(
      fc.property(textWithSecrets(), ({ written, core }) => {
        expect(redactText(written).text).not.toContain(core)
      }),
      { numRuns: 5_000 },
    )
  })

  it('returns any text without a secret unchanged, also with lone surrogates', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.constantFrom('\ud800', '\udfff', ''),
        (text, lone) => {
          const whole = `${text}${lone}`
          const { text: redacted, found } = redactText(whole)
          if (found.size === 0) expect(redacted).toBe(whole)
          expect(redacted.endsWith(lone)).toBe(true)
        },
      ),
      { numRuns: 3_000 },
    )
  })
})

/** A secret between two texts, separated from it by characters that secrets do not contain. */
function textWithSecrets() {
  return fc
    .record({
      before: fc.string({ unit: 'grapheme', maxLength: 60 }),
      after: fc.string({ unit: 'grapheme', maxLength: 60 }),
      recipe: fc.constantFrom(...secretRecipes),
      seed: fc.integer(),
    })
    .map(({ before, after, recipe, seed }) => {
      const { text, core } = recipe.make(seededRandom(seed))
      return { written: `${before} ${text}\n${after}`, core }
    })
}
