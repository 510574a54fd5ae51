import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}
const student = from(
  'Hanna Vuori|Mateo Cruz|Kofi Boateng|Lea Steiner|Ryan Walsh|Noor Rahman|Chiara Conti|Ondřej Malý|Fatou Ndiaye|Sakura Mori|Ivan Petkov|Zainab Bello',
)
const course = from(
  'Linear Algebra|World History|Organic Chemistry|Microeconomics|Intro to Poetry|Data Structures|Anatomy|Urban Planning|Thermodynamics',
)
const fact = from(
  'The library opens at eight on weekdays.|A late form costs fifteen euros.|Labs may be repeated once.|Grades are published within three weeks.|The cell membrane is made of lipids.|Rome fell to the Goths in 410.|Demand falls when prices rise.|Students with a visa need proof of insurance.|A matrix with a zero determinant has no inverse.|The canteen accepts cards only.|Photosynthesis stores energy in sugar.|Exams are written in pencil.|The bus stops in front of the aula.|Bring your own calculator.|Sonnets have fourteen lines.|Heat flows from warm to cold.|Send the form to the dean before May.|Never heat a closed flask.',
)
const facts = (v: Values, low: number, high: number, glue = ' ') => v.many(low, high, () => fact(v), glue)
const asked = from(
  'how do I enrol for next term|can I hand in a day late|what is on the exam|where do I find the reading list|is attendance required|my grade is missing|I lost my card|please explain entropy again|which chapter should I read first|who is my advisor',
)
const answer = from(
  'It is the sum of all parts.|Because the war had ended.|I think demand goes up.|Forty-two.|The heat moves to the cold side.|I do not know.|A poem with a strict form.|When the matrix is square.|The membrane lets water pass.',
)

/** What a university sends: tutors, offices, graders and search, some of which differ in one sentence. */
export const CAMPUS_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `You are a tutor for ${course(v)}. The student is ${student(v)}, semester ${v.int(1, 10)}.\nNever give the solution. Ask one question that leads to the next step.`,
  (v) =>
    `You are a tutor for ${course(v)}. The student is ${student(v)}, semester ${v.int(1, 10)}.\nShow the solution step by step. Then set one similar exercise.`,
  (v) =>
    `Grade the answer of a student.\n\nQuestion: ${asked(v)}?\nModel answer: ${answer(v)}\nStudent answer: ${answer(v)}\n\nGive 0, 1 or 2 points and one sentence of feedback.`,
  (v) =>
    `Compare the answers of two students.\n\nQuestion: ${asked(v)}?\nStudent A: ${answer(v)}\nStudent B: ${answer(v)}\n\nSay which one is more complete. Ignore spelling.`,
  (v) =>
    `<handbook>\n${facts(v, 3, 9, '\n')}\n</handbook>\n\nAnswer questions of applicants from the handbook. Quote the line you used. If the handbook is silent, give the phone number of the office.`,
  (v) =>
    `<handbook>\n${facts(v, 3, 9, '\n')}\n</handbook>\n\nFind rules in the handbook that contradict each other. List each pair and say which one is newer.`,
  (v) =>
    `Search results for "${asked(v)}":\n\n${v.many(2, 6, (index) => `${index + 1}. ${facts(v, 1, 2)} (${v.url()})`, '\n')}\n\nWrite a short answer for a first-year student with the numbers of the results in brackets.`,
  (v) =>
    `# Task\nTurn lecture notes into flash cards.\n\n# Rules\n- One fact per card\n- Question first, then the answer after a bar\n- At most ${v.pick(['ten', 'twelve', 'twenty'])} cards\n\n# Lecture\n${course(v)}, week ${v.int(1, 15)}\n\n# Notes\n${facts(v, 3, 10)}`,
  (v) =>
    `# Task\nTurn lecture notes into exam questions.\n\n# Rules\n- Four choices each, one of them right\n- No trick questions\n- Mark the right one with a star\n\n# Lecture\n${course(v)}, week ${v.int(1, 15)}\n\n# Notes\n${facts(v, 3, 10)}`,
  (v) =>
    `You sort mail for the registrar. Reply with one label.\n\n${v.many(2, 7, () => `Mail: ${asked(v)}\nLabel: ${v.pick(['enrolment', 'grades', 'cards', 'teaching'])}`, '\n---\n')}\n---\nMail:`,
  (v) =>
    `Give a synonym for the academic word "${v.pick(['salient', 'robust', 'novel', 'ubiquitous', 'tenuous', 'nascent', 'spurious'])}" and use it in a sentence about ${course(v)}.`,
  (v) =>
    `Du bist die Studienberatung der Hochschule ${v.pick(['Aalen', 'Emden', 'Kempten', 'Zwickau', 'Lübeck'])}. Anfrage von ${v.pick(['Frau Kern', 'Herrn Vogel', 'Frau Özdemir', 'Herrn Baum', 'Frau Lang'])} (Matrikelnummer ${v.int(100000, 999999)}).\n\nRegelwerk:\n${v.many(2, 5, () => `§ ${v.int(1, 40)} ${v.pick(['Prüfungen können zweimal wiederholt werden.', 'Der Rücktritt ist bis eine Woche vorher möglich.', 'Ein Urlaubssemester ist zu begründen.', 'Die Regelstudienzeit beträgt sechs Semester.'])}`, '\n')}\n\nAntworte mit Verweis auf den Paragrafen. Gib keine Rechtsberatung.`,
  (v) =>
    `Tu corriges les dissertations de philosophie.\n\nSujet : ${v.pick(['La liberté est-elle une illusion ?', 'Faut-il craindre la technique ?', 'Peut-on tout pardonner ?', "L'art doit-il être beau ?"])}\nÉlève : ${v.pick(['Camille', 'Yanis', 'Inès', 'Hugo', 'Maëlle'])}, terminale ${v.int(1, 9)}\nCopie :\n${v.many(2, 5, () => v.pick(['La liberté est un choix.', 'Kant pense autrement.', 'On ne peut pas tout savoir.', 'La technique aide les hommes.', 'Le pardon demande du temps.']), ' ')}\n\nDonne une note sur 20, un point fort et un conseil.`,
  (v) =>
    `Eres bibliotecario. Recomienda tres libros disponibles.\nLector: ${v.pick(['Lucía', 'Marcos', 'Irene', 'Samuel', 'Berta'])}, ${v.int(8, 70)} años\nHa leído: ${v.many(1, 4, () => v.pick(['Nada', 'La colmena', 'Rayuela', 'Marianela', 'Fortunata y Jacinta', 'Platero y yo']), ', ')}\nDisponibles:\n${v.many(3, 7, () => `- ${v.pick(['La Regenta', 'Pedro Páramo', 'El camino', 'Réquiem', 'Tormento', 'Ficciones'])}`, '\n')}\nEscribe una frase por libro, sin contar el final.`,
  (v) =>
    `Timetable agent. Today: ${v.int(2024, 2027)}-0${v.int(1, 9)}-${v.int(10, 28)}. User: ${student(v)} (${v.email()}).\n\nTools:\n- find_room(day, seats)\n- book_room(id, from, to)\n${v.chance(0.5) ? '- cancel_booking(id)\n' : ''}${v.chance(0.5) ? '- list_bookings(user)\n' : ''}\nBook rooms only after the user has confirmed day and time. Never book two rooms for one person.`,
  (v) =>
    `Write a letter of recommendation for ${student(v)}, who took my course ${course(v)} in ${v.int(2018, 2026)} and finished with ${v.pick(['an A', 'a B', 'distinction', 'honours'])}. Strengths: ${v.many(1, 3, () => v.pick(['curious', 'punctual', 'kind to others', 'good at proofs', 'writes well']), ', ')}. One page, no clichés.`,
  (v) =>
    `Transcript of office hours\n\n${v.many(3, 8, (index) => `${index % 2 === 0 ? 'Student' : 'Lecturer'}: ${index % 2 === 0 ? asked(v) : answer(v)}`, '\n')}\n\nWrite down what the lecturer promised, with a date if there is one. If nothing was promised, write "nothing".`,
  (v) =>
    `Você é monitor da disciplina de ${v.pick(['cálculo', 'física', 'literatura', 'química', 'estatística'])}. Aluno: ${v.pick(['João Prado', 'Ana Lima', 'Rui Costa', 'Bia Souza', 'Caio Reis'])}. Dúvida: ${v.pick(['derivadas', 'vetores', 'metáforas', 'ligações', 'médias', 'limites'])}. Explique com um exemplo do dia a dia e termine com uma pergunta.`,
]
