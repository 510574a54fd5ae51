import type { Keys } from './cli-io.ts'

/** Keys from piped text, so that scripts and tests can press them. Ends of lines are no keys. */
export function pipedKeys(text: Promise<string | null>): Keys {
  let rest: string | null = null
  const remaining = async () => {
    rest ??= (await text) ?? ''
    return rest
  }
  return {
    async next() {
      const left = (await remaining()).replace(/^[\r\n]+/, '')
      rest = left.slice(1)
      return left === '' ? null : left.charAt(0)
    },
    async line() {
      const left = await remaining()
      if (left === '') return null
      const end = left.indexOf('\n')
      rest = end === -1 ? '' : left.slice(end + 1)
      return end === -1 ? left : left.slice(0, end)
    },
    close: () => undefined,
  }
}
