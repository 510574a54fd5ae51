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

const of = (workspaceId: string, bytes = 10) => ({ workspaceId, bytes })
const large = 2_000_000

describe('createReadInTurn', () => {
  it('reads the data of one job at a time, and of another workspace next', async () => {
    const readInTurn = createReadInTurn()
    const { begun, work, end } = heldWork()
    const first = readInTurn(of('a'), work('first'))
    // What a workspace reads next does not take the place of others that wait.
    expect(await readInTurn(of('a'), work('again'))).toBe(false)
    const second = readInTurn(of('b'), work('second'))
    expect(await readInTurn(of('c'), work('third'))).toBe(false)
    expect(begun).toEqual(['first'])
    end('first')
    expect(await first).toBe(true)
    await eventually(() => expect(begun).toEqual(['first', 'second']))
    end('second')
    expect(await second).toBe(true)
  })

  it('reads small data beside large data', async () => {
    const readInTurn = createReadInTurn()
    const { begun, work, end } = heldWork()
    const all = [
      readInTurn(of('a', large), work('large')),
      readInTurn(of('b', large), work('next')),
      readInTurn(of('c'), work('small')),
    ]
    await eventually(() => expect(begun).toEqual(['large', 'small']))
    end('small')
    end('large')
    await eventually(() => expect(begun).toEqual(['large', 'small', 'next']))
    end('next')
    expect(await Promise.all(all)).toEqual([true, true, true])
  })

  it('does not begin what waited too long', async () => {
    const readInTurn = createReadInTurn(1)
    const { begun, work, end } = heldWork()
    const first = readInTurn(of('a'), work('first'))
    expect(await readInTurn(of('b'), work('second'))).toBe(false)
    end('first')
    await first
    expect(begun).toEqual(['first'])
  })

  it('fails when the reading does, and goes on', async () => {
    const readInTurn = createReadInTurn()
    await expect(readInTurn(of('a'), () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await readInTurn(of('a'), async () => undefined)).toBe(true)
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
