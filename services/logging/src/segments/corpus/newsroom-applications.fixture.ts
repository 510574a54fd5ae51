import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}
const reporter = from(
  'Jo Adeyemi|Pia Sandell|Marc Villeneuve|Rita Gomes|Theo Papas|Lin Xiao|Dana Levy|Emil Krog|Sana Iqbal|Cleo Barnes|Juri Tamm',
)
const town = from('Ashford|Malmö|Tarragona|Graz|Galway|Brno|Porto|Tampere|Ghent|Turin')
const report = from(
  'The council approved the tram line by two votes.|Nobody was hurt when the roof came down.|The harbour will stay closed until Friday.|Prices of bread rose again in May.|The mayor said she had not seen the report.|Residents want the noise to stop.|A fox got into the stadium.|The factory hires eighty people.|Rain is expected from the west.|The court heard three witnesses.|Schools reopen on Monday.|Keep windows closed until the smoke is gone.|The museum shows works of local painters.|Turnout was the lowest in years.|Call the hotline if you saw the car.|Two bridges are being repaired.',
)
const copy = (v: Values, low: number, high: number, glue = ' ') => v.many(low, high, () => report(v), glue)
const reader = from(
  'finally some good news|you forgot the victims|typo in the second line|what about the costs?|this is propaganda|please cover the north too|great photo|stop the paywall|my street is not on the map|thank you for asking the mayor',
)
const desk = from('Politics|Sport|Culture|Local|Science')

/** What a newspaper sends: editing, checking, moderation and audience, some of which differ in one sentence. */
export const NEWSROOM_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `You edit for the ${desk(v)} desk.\n\nDRAFT\n${copy(v, 3, 9)}\n\nCUT the draft to ${v.pick(['80', '120', '200', '250'])} words. Keep every name and every number. Mark what you are not sure about with [?].`,
  (v) =>
    `You check facts for the ${desk(v)} desk.\n\nDRAFT\n${copy(v, 3, 9)}\n\nLIST every claim that needs a source. Say who could confirm it. Do not edit the draft.`,
  (v) =>
    `Headline for the story below. Style: ${v.pick(['sober', 'playful', 'urgent', 'literary'])}. No questions, no puns on names, at most nine words.\n\n${copy(v, 2, 6)}`,
  (v) =>
    `Push notification for the story below. Edition: ${town(v)}. Never start with "Breaking". At most 110 characters, one emoji.\n\n${copy(v, 2, 6)}`,
  (v) =>
    `<article author="${reporter(v)}" place="${town(v)}">\n${copy(v, 2, 8, '\n')}\n</article>\n<comment>${reader(v)}</comment>\n\nDecide whether the comment may be published. Answer publish, hold or delete, and name the rule of the house that applies.`,
  (v) =>
    `<article author="${reporter(v)}" place="${town(v)}">\n${copy(v, 2, 8, '\n')}\n</article>\n<comment>${reader(v)}</comment>\n\nWrite a reply of the editors to the comment. Thank the reader, correct the error if there is one, and stay below 40 words.`,
  (v) =>
    `Role: audience editor\nEdition: ${town(v)}\nYesterday's numbers:\n${v.many(3, 6, () => `- ${v.pick(['opened', 'read to the end', 'shared', 'cancelled', 'subscribed'])}: ${v.int(10, 9000)}`, '\n')}\nTop stories:\n${v.many(2, 4, () => `- ${report(v)}`, '\n')}\n\nExplain in three sentences what readers liked. Suggest one story for tomorrow.`,
  (v) =>
    `Which desk should take the tip?\n\nTip: ${report(v)}\nDesk: ${desk(v)}\n\nTip: ${report(v)}\nDesk: ${desk(v)}\n${v.many(0, 4, () => `\nTip: ${report(v)}\nDesk: ${desk(v)}\n`, '')}\nReturn the name of the desk and nothing else.\n\nTip:`,
  (v) =>
    `Interview preparation\n\nGuest: ${reporter(v)}\nOccasion: ${v.pick(['a new book', 'the election', 'a merger', 'the strike', 'an exhibition'])}\nAir time: ${v.int(3, 30)} minutes\nWhat we know:\n${copy(v, 2, 6, '\n')}\n\nPropose seven questions. Open with an easy one. Put the question that hurts in fifth place.`,
  (v) =>
    `Archive search. Documents:\n\n${v.many(2, 7, (index) => `[doc ${index + 1}] (${v.int(1950, 2020)}) ${copy(v, 1, 3)}`, '\n\n')}\n\nTell what the archive says about the question of the user, oldest document first. Give the number of each document that you use.`,
  (v) =>
    `Archive search. Documents:\n\n${v.many(2, 7, (index) => `[doc ${index + 1}] (${v.int(1950, 2020)}) ${copy(v, 1, 3)}`, '\n\n')}\n\nBuild a timeline from the documents. One line per year, and leave out years without an event.`,
  (v) =>
    `Caption this photo by ${reporter(v)}, taken in ${town(v)} on ${v.date()}: ${report(v)} Two sentences, present tense, no adjectives.`,
  (v) =>
    `Translate the wire story into ${v.pick(['Swedish', 'Portuguese', 'Czech', 'Finnish', 'Dutch', 'Greek'])}. Convert units and keep quotes literal. Do not translate names of parties.\n\nSource: ${v.pick(['Reuters', 'AFP', 'dpa', 'ANSA'])}\n${copy(v, 2, 7)}`,
  (v) =>
    `Sei il redattore meteo di ${v.pick(['Torino', 'Bari', 'Trento', 'Cagliari', 'Ancona'])}.\nDati:\n${v.many(2, 5, () => `${v.pick(['mattina', 'pomeriggio', 'sera', 'notte'])}: ${v.int(-5, 38)} °C, vento ${v.int(0, 90)} km/h`, '\n')}\nScrivi il bollettino in quattro frasi. Avvisa se il vento supera 60 km/h.`,
  (v) =>
    `Jesteś korektorem gazety z ${v.pick(['Torunia', 'Opola', 'Rzeszowa', 'Gdyni', 'Kielc'])}. Autor: ${v.pick(['Anna Lis', 'Piotr Sowa', 'Ewa Mazur', 'Jan Kos', 'Olga Wilk'])}.\nTekst:\n${v.many(1, 4, () => v.pick(['Most bedzie zamkniety do piatku.', 'Rada przyjeła budżet.', 'Kierowca uciekł z miejsca wypadku.', 'Ceny chleba znów wzrosły.']), ' ')}\nPopraw błędy i wypisz każdą zmianę w osobnym wierszu. Nie zmieniaj stylu.`,
  (v) =>
    `你是${v.pick(['晨报', '晚报', '都市报', '商报', '青年报'])}的编辑。记者:${v.pick(['王芳', '李强', '陈静', '刘洋', '赵敏'])}。\n稿件:\n${v.many(1, 4, () => v.pick(['大桥周五前关闭。', '市议会通过了预算。', '面包价格再次上涨。', '博物馆展出本地画家的作品。']), '')}\n请把稿件压缩到一百字以内,保留所有数字,不要添加评论。`,
  (v) =>
    `Podcast script, episode ${v.int(2, 400)}\nHosts: ${reporter(v)} and ${reporter(v)}\nLength: ${v.int(5, 45)} minutes\nNotes:\n${v.many(2, 6, () => `* ${report(v)}`, '\n')}\n\nWrite the opening as a dialogue of both hosts. Each speaks at most three sentences at a time. End on a question.`,
  (v) =>
    `Sponsor: ${v.pick(['a bank', 'a supermarket', 'a car maker', 'a theatre', 'an airline'])}\nIssue: ${v.date()}\nStories planned:\n${v.many(2, 5, () => `- ${report(v)}`, '\n')}\n\nPoint out every story that the advertisement of the sponsor must not stand next to, with the reason. If there is none, say so.`,
]
