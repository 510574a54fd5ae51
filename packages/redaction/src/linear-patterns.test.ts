import { readdirSync, readFileSync } from 'node:fs'
import { checkSync } from 'recheck'
import gitleaks from './patterns/gitleaks.json' with { type: 'json' }

describe('the regular expressions of redaction', () => {
  it('are found', () => {
    expect(patterns().length).toBeGreaterThan(30)
  })

  it.each(patterns())('does not depend on backtracking: %s', (_source, source, flags) => {
    expect(checkSync(source, flags, { timeout: 60_000 })).toMatchObject({
      status: 'safe',
      complexity: { type: expect.stringMatching(/linear|safe/) },
    })
  })
})

describe('the patterns of gitleaks', () => {
  it.each(gitleaks.tokens)('does not depend on backtracking: $id', ({ pattern }) => {
    expect(checkSync(`^${pattern}`, '', { timeout: 60_000 })).toMatchObject({
      status: 'safe',
      complexity: { type: expect.stringMatching(/linear|safe/) },
    })
  })
})

/** Every regular expression of this folder and those below it. */
function patterns(): [string, string, string][] {
  const found: [string, string, string][] = []
  for (const file of readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || /\.(?:test|fixture)\.ts$/.test(file)) continue
    const code = readFileSync(`${import.meta.dirname}/${file}`, 'utf8')
    for (const line of code.split('\n')) {
      if (/^\s*(?:\/?\*|\/\/)/.test(line)) continue
      for (const [, source = '', flags = ''] of line.matchAll(
        /(?<![\w<)/*])\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)(?=[.,;)\s]|$)/g,
      )) {
        found.push([`${file} /${source}/${flags}`, source, flags])
      }
    }
  }
  return found
}
