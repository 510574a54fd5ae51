import fc from 'fast-check'
import { redactionMark, redactText } from '../redact-text.ts'
import { entropyOf } from '../secrets/entropy-of.ts'
import gitleaks from './gitleaks.json' with { type: 'json' }

const forms = gitleaks.tokens.flatMap((token) => token.prefixes.map((prefix) => [prefix, token] as const))

describe('the tokens of gitleaks', () => {
  it.each(forms)('redacts %s…', (prefix, { kind, pattern, min, entropy = 0 }) => {
    // A word for a placeholder is no token: `your-`, which a random one contains now and then.
    const rest = fc
      .stringMatching(new RegExp(`^${pattern}$`))
      .filter(
        (body) => /^(?!.*\.\.\.)(?!.*your[-_])/i.test(body) && /\w$/.test(body) && entropyOf(prefix + body) > entropy,
      )
    fc.assert(
      fc.property(rest, (body) => {
        // Patterns match at most a hundred repetitions; some tokens are longer.
        const token = prefix + body.padEnd(min, body.slice(-20))
        const { text, found } = redactText(`use ${token}\n`)
        expect({ text, kinds: [...found.keys()] }).toEqual({
          text: `use ${prefix.endsWith('=') ? prefix : ''}${redactionMark}\n`,
          kinds: [kind],
        })
      }),
      { numRuns: 20, unbiased: true },
    )
  })

  it.each(gitleaks.tokens)('does not redact the beginning of $id alone', ({ prefixes, min }) => {
    for (const prefix of prefixes) {
      const written = `${prefix}\n${prefix}${'x'.repeat(min)}\n`
      expect(redactText(written).text).toBe(written)
    }
  })
})

describe('the services of gitleaks', () => {
  it.each(gitleaks.services)('redacts the key of $name', ({ name }) => {
    const value = 'q7Zf4LmX9aTb2VcR8sKe'
    const written = `${name.toUpperCase()}_KEY=`
    expect(redactText(written + value).text).toBe(written + redactionMark)
    expect(redactText(`${name}: ${value}`).text).toBe(`${name}: ${value}`)
  })
})
