import { RecentAnswers } from './recent-answers.ts'

describe('recent answers', () => {
  it('are found for the same text and `how`, and for no other', () => {
    const answers = new RecentAnswers<boolean>()
    expect(answers.remember('a', 1, false)).toBe(false)
    expect([answers.recall('a', 1), answers.recall('a', 2), answers.recall('b', 1)]).toEqual([
      false,
      undefined,
      undefined,
    ])
  })

  it('are evicted after four others', () => {
    const answers = new RecentAnswers<number>()
    for (let each = 0; each < 5; each++) answers.remember(`text ${each}`, 0, each)
    expect([0, 1, 4].map((each) => answers.recall(`text ${each}`, 0))).toEqual([undefined, 1, 4])
  })
})
