import fc from 'fast-check'
import { describeFault } from './describe-fault.ts'

const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']
const marker = 'polluted-by-a-body'
const runs = 150

describeFault(
  {
    id: 'F6',
    title: 'keys of a body have names of prototype members',
    promise: '__proto__ is a 400 at any depth; no name changes a prototype: later answers are the same as before',
  },
  (fault) => {
    it('does not change answers to other clients', async () => {
      const calm = await ask('{}')
      let refused = 0
      const paths = fc.array(fc.constantFrom(...names, 'a', 'metadata', 'models'), { minLength: 1, maxLength: 6 })
      await fc.assert(
        fc.asyncProperty(
          paths,
          fc.constantFrom('metadata', 'tools', 'response_format', 'stop'),
          fc.boolean(),
          async (path, at, isEscaped) => {
            const value = path.reduceRight(
              (inner, name) => `{${keyOf(name, isEscaped)}:${inner}}`,
              `{"${marker}":true}`,
            )
            const answer = await ask(value, at)
            expect(answer.text).not.toContain(marker)
            expect(answer.status).toBeLessThan(500)
            if (!path.includes('__proto__')) return
            refused += 1
            expect(answer).toMatchObject({ status: 400 })
            expect(JSON.parse(answer.text).error).toMatchObject({ code: 'invalid_request', param: '__proto__' })
          },
        ),
        { numRuns: runs, seed: Math.floor(fault.random() * 2 ** 31), endOnFailure: true },
      )
      fault.note('bodies, refused for __proto__', `${runs}, ${refused}`)
      expect(refused).toBeGreaterThan(0)
      expect(Object.keys(JSON.parse((await ask('{}')).text))).toEqual(Object.keys(JSON.parse(calm.text)))
    }, 60_000)

    it.each(names)('answers that there is no model called %s', async (name) => {
      const answer = await fault.ask({ model: name })
      expect(answer.status).toBe(404)
      expect(JSON.parse(answer.text).error).toMatchObject({ code: 'model_not_found', param: 'model' })
    })

    it.each(names)('finds no model called %s', async (name) => {
      const headers = { authorization: `Bearer ${fault.fleet.workspace.apiKey}` }
      expect((await fetch(`${fault.fleet.url}/v1/models/${name}`, { headers })).status).toBe(404)
    })

    async function ask(value: string, at = 'metadata') {
      const response = await fetch(`${fault.fleet.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${fault.fleet.workspace.apiKey}`, 'content-type': 'application/json' },
        body: `{"model":"sim/small","messages":[{"role":"user","content":"hi"}],"${at}":${value}}`,
      })
      return { status: response.status, text: await response.text() }
    }
  },
)

/** A key of JSON, plain or with its first character escaped. */
function keyOf(name: string, isEscaped: boolean): string {
  return isEscaped ? `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}"` : JSON.stringify(name)
}
