import { csvOf } from './csv.ts'

it('quotes what would break a line, and disarms what a program for tables would run', () => {
  const text = csvOf(
    ['a', 'b'],
    [
      ['x,y', 'say "hi"'],
      ['=cmd()', '@sum'],
      ['＝cmd()', '\n=cmd()'],
      ['-1+1', -5n],
      ['two\r\nlines', null],
      [3, ''],
    ],
  )
  expect(text).toBe(
    'a,b\r\n"x,y","say ""hi"""\r\n\'=cmd(),\'@sum\r\n\'＝cmd(),"\'\n=cmd()"\r\n\'-1+1,-5\r\n"two\r\nlines",\r\n3,\r\n',
  )
})
