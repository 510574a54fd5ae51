import { eventually } from '@ratchet/testing/eventually'
import { createReadInTurn, createSurveys } from './data-reading.ts'

/** Work that ends when it is told to, and what began. */
function heldWork() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<void>((resolve) => void ends.set(name, resolve))
  }
  return { begun, work, end: (name: string) => ends.get(name)?.() }
}

describe('createReadInTurn', () => {
  it('reads the data of one job at a time, and of another workspace next', async () => {
    const readInTurn = createReadInTurn()
    const { begun, work, end } = heldWork()
    const first = readInTurn('a', work('first'))
    const second = readInTurn('b', work('second'))
    expect(await readInTurn('a', work('third'))).toBe(false)
    expect(begun).toEqual(['first'])
    end('first')
    expect(await first).toBe(true)
    await eventually(() => expect(begun).toEqual(['first', 'second']))
    end('second')
    expect(await second).toBe(true)
  })

  it('does not begin what waited too long', async () => {
    const readInTurn = createReadInTurn(1)
    const { begun, work, end } = heldWork()
    const first = readInTurn('a', work('first'))
    expect(await readInTurn('b', work('second'))).toBe(false)
    end('first')
    await first
    expect(begun).toEqual(['first'])
  })

  it('fails when the reading does, and goes on', async () => {
    const readInTurn = createReadInTurn()
    await expect(readInTurn('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await readInTurn('a', async () => undefined)).toBe(true)
  })
})

describe('createSurveys', () => {
  it('reads large data of one request at a time, and small data beside it', async () => {
    const { large, small } = createSurveys()
    const { begun, work, end } = heldWork()
    const all = [large.run('a', work('large')), large.run('b', work('next')), small.run('c', work('small'))]
    await eventually(() => expect(begun).toEqual(['large', 'small']))
    end('large')
    await all[0]
    await eventually(() => expect(begun).toEqual(['large', 'small', 'next']))
    for (const name of ['small', 'next']) end(name)
    await Promise.all(all)
  })
})
