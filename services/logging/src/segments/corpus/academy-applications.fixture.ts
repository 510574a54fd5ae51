import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}
const pupil = from(
  'Noor Aziz|Ben Carter|Luca Bianchi|Mia Schulz|Tomasz Wilk|Ada Obi|Hana Sato|Petra Vondra|Isak Berg|Leila Haidari|Joao Prado',
)
const subject = from('biology|algebra|world history|chemistry|economics|music theory|geography|statistics')
const fact = from(
  'Cells divide in four phases.|The treaty was signed in 1648.|A prime number has two divisors.|Salt lowers the freezing point of water.|Demand falls when the price rises.|The river changed its course twice.|Light bends at the edge of glass.|The median ignores outliers.|Sound needs a medium.|The empire lost its ports in one year.|An octave doubles the frequency.|Roots take up nitrate.',
)
const facts = (v: Values, low: number, high: number, glue = ' ') => v.many(low, high, () => fact(v), glue)
const remark = from(
  'was late twice this week|helps others a lot|forgets homework|reads far above the level|is quiet in groups|asks good questions|needs glasses|improved in writing|argues with the referee|missed the trip',
)
const query = from(
  'when is the exam|I lost my badge|can I change the course|the video does not load|is there a vegetarian menu|my grade is wrong|how do I enrol|who teaches on Friday|I need a certificate|the bus did not come',
)

/** What a school with online courses sends. Measured first, then rules were mended by it. */
export const ACADEMY_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `SYSTEM\nYou tutor ${pupil(v)} (grade ${v.int(5, 12)}) in ${subject(v)}.\n\nPOLICY\n1. Never give the solution before the second attempt.\n2. Use one example per answer.\n3. End with a question.\n\nMEMORY\n${v.many(1, 4, () => `* ${remark(v)}`, '\n')}`,
  (v) =>
    `SYSTEM\nYou report to the parents of ${pupil(v)} (grade ${v.int(5, 12)}).\n\nPOLICY\n1. Begin with something good.\n2. Name no other pupil.\n3. Suggest one thing to do at home.\n\nMEMORY\n${v.many(1, 4, () => `* ${remark(v)}`, '\n')}`,
  (v) =>
    `Generate ${v.int(3, 12)} multiple choice questions about the text. Four options each, exactly one correct, no "all of the above". Output JSON: [{"q": "", "options": [], "answer": 0}]\n\nText (${subject(v)}):\n${facts(v, 3, 9)}`,
  (v) =>
    `Generate ${v.int(3, 12)} flash cards from the text. Front: a term. Back: its meaning in at most twelve words. Output JSON: [{"front": "", "back": ""}]\n\nText (${subject(v)}):\n${facts(v, 3, 9)}`,
  (v) =>
    `<essay id="${v.id()}" pupil="${pupil(v)}">\n${facts(v, 4, 12, '\n')}\n</essay>\n<rubric>\n  <criterion weight="${v.int(1, 5)}">argument</criterion>\n  <criterion weight="${v.int(1, 5)}">evidence</criterion>\n  <criterion weight="${v.int(1, 5)}">language</criterion>\n</rubric>\nGrade the essay by the rubric. Give points for each criterion with one sentence, then the total.`,
  (v) =>
    `<essay id="${v.id()}" pupil="${pupil(v)}">\n${facts(v, 4, 12, '\n')}\n</essay>\nFind passages that sound copied. Quote each and say why. Answer "none" when there is nothing.`,
  (v) =>
    `Route the question to an office.\n\n${v.many(2, 6, () => `Q: ${query(v)}\nA: ${v.pick(['registrar', 'it', 'canteen', 'teacher', 'transport'])}`, '\n')}\nQ:`,
  (v) =>
    `Say whether the question can be answered by the handbook.\n\n${v.many(2, 6, () => `Q: ${query(v)}\nA: ${v.pick(['yes', 'no', 'partly'])}`, '\n')}\nQ:`,
  (v) =>
    `Passages from the handbook (best match first):\n${v.many(2, 7, (index) => `${index + 1}. ${facts(v, 1, 3)} [score 0.${v.int(10, 99)}]`, '\n')}\n\nReply to the student with the passages only. Mention the number of the passage. Say that you do not know when none fits, and give the phone number of the office.`,
  (v) =>
    `Passages from the handbook (best match first):\n${v.many(2, 7, (index) => `${index + 1}. ${facts(v, 1, 3)} [score 0.${v.int(10, 99)}]`, '\n')}\n\nWhich passages answer the question of the student? Return their numbers as a JSON array, and [] if there are none.`,
  (v) =>
    `Translate the letter to the parents into ${v.pick(['Arabic', 'Romanian', 'Vietnamese', 'Farsi', 'Albanian', 'Russian'])}. Simple words. Leave names, dates and times as they are.\n\nLetter:\nDear parents of ${pupil(v)},\n${facts(v, 1, 5)}\nKind regards, ${v.name()}`,
  (v) =>
    `Enrolment form\n--------------\nCandidate ....... ${pupil(v)}\nBorn ............ ${v.date()}\nCourse .......... ${subject(v)}\nPaid ............ ${v.pick(['yes', 'no', 'half'])}\nNotes ........... ${v.many(0, 3, () => remark(v), '; ')}\n\nDecide: accept, reject or ask. Give the reason in one line. A candidate who has not paid is never accepted.`,
  (v) =>
    `You mark programming homework. Language: ${v.pick(['Python', 'Java', 'C', 'Haskell', 'Scratch'])}. Exercise ${v.int(1, 40)}.\n\nSubmission of ${pupil(v)}:\n\`\`\`\n${v.code()}\n\`\`\`\n\nTests passed: ${v.int(0, 20)}/20\n\nExplain the first mistake without showing corrected code. Be kind.`,
  (v) =>
    `You are the debate partner of ${pupil(v)}. Motion: "${v.pick(['Homework should be banned', 'Zoos do harm', 'Exams are fair', 'Cars out of cities', 'Phones in class'])}". Side: ${v.pick(['for', 'against'])}. Round ${v.int(1, 6)} of 6. Argue the opposite in at most five sentences, concede one point, and never insult.`,
  (v) =>
    `Timetable solver. Rooms: ${v.many(2, 6, () => `R${v.int(100, 399)}`, ', ')}. Teachers: ${v.many(2, 5, () => v.name(), ', ')}.\nConflicts:\n${v.many(1, 5, () => `- ${v.pick(['Mon', 'Tue', 'Wed', 'Thu', 'Fri'])} ${v.int(1, 8)}: ${v.name()} is double-booked`, '\n')}\n\nPropose the fewest swaps that resolve all conflicts. One swap per line: day, hour, from, to.`,
  (v) =>
    `Ты репетитор по ${v.pick(['физике', 'химии', 'истории', 'биологии', 'географии'])}. Ученик: ${v.pick(['Саша', 'Маша', 'Игорь', 'Лена', 'Дима'])}, ${v.int(6, 11)} класс.\nОбъясняй на примерах из жизни. Не решай задачу за ученика. В конце задай один вопрос.`,
  (v) =>
    `Je bent de studieadviseur van ${v.pick(['Hogeschool Delta', 'Campus Zuid', 'ROC Noord', 'Academie Maas', 'Lyceum West'])}. Student: ${v.pick(['Daan', 'Fatima', 'Sven', 'Lotte', 'Bram'])}, jaar ${v.int(1, 4)}, ${v.int(0, 60)} punten.\n\nAdviseer over doorgaan of stoppen. Noem twee alternatieven. Geef geen oordeel over de persoon.`,
  (v) =>
    `당신은 ${v.pick(['한빛학원', '누리학교', '새벽학당', '푸른학원', '미래학교'])}의 상담 교사입니다. 학생: ${v.pick(['김민수', '이서연', '박지훈', '최유진', '정하늘'])}. 과목: ${v.pick(['수학', '영어', '과학', '국어', '역사'])}.\n학습 계획을 일주일 단위로 작성하세요. 시험 점수는 언급하지 마세요.`,
  (v) =>
    `[course] ${subject(v)} ${v.int(101, 499)}\n[week] ${v.int(1, 15)}\n[transcript]\n${v.many(3, 9, () => `(${v.int(0, 59)}:${v.int(10, 59)}) ${fact(v)}`, '\n')}\n\nMake chapter marks for the recording: time, then a title of at most six words. First chapter at 0:00.`,
  (v) =>
    `Compare two answers to an exam question and name the better one.\n\nQuestion: ${fact(v)} Why?\nAnswer A: ${facts(v, 1, 3)}\nAnswer B: ${facts(v, 1, 3)}\n\nIgnore style and length. Reply A, B or TIE.`,
]
