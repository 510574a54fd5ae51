/** Grades of a round that prove a judge which finds 97 % of the fails, by the share of answers that fail (simulated). */
const table = [
  { from: 0.27, grades: 'about 200' },
  { from: 0.17, grades: 'about 300' },
  { from: 0.09, grades: '400 to 600' },
  { from: 0.045, grades: 'more than a thousand' },
] as const

/** What a population allows one to hope for, before anybody grades. */
export function hopeSentence(failShare: number | null): string {
  if (failShare === null) {
    return 'How many answers fail here is not known yet. At 12 % fails, 400 to 600 grades prove a good judge; at 30 %, about 200.'
  }
  const share = `${Math.round(failShare * 100)} %`
  const found = table.find(({ from }) => failShare >= from)
  if (found === undefined) {
    return `The judge fails ${share} of these answers. So few fails cannot be proven by grading at random: choose a tag or segment where more answers fail.`
  }
  return `The judge fails ${share} of these answers. A judge that finds 97 % of the fails is proven by ${found.grades} honest grades.`
}
