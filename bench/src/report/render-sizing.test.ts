import { renderSizing } from './render-sizing.ts'

const sample = (figure: string, value: number) => ({ target: 'fleet', figure, round: 1, value })

describe('renderSizing', () => {
  it('says how many a full core carries, and leaves out what was not measured', () => {
    const text = renderSizing([sample('chat-cpu-us of edge', 157), sample('idle-pss-mb', 1_234)])
    const lines = text.split('\n').map((line) => line.replace(/ +/g, ' '))
    expect(lines).toContain(
      '| one edge, small plain requests | about 6 400 requests/s on a full core | 157 µs each | `npm run bench` |',
    )
    expect(lines).toContain('| memory of `npm start` after load | – | 1 234 MB | the same |')
    expect(text).not.toContain('inference')
  })
})
