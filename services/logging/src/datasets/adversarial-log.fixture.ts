import { assistant, exchangeOf, system, user } from './stored-exchange.fixture.ts'
import type { Message, StoredExchange } from './stored-exchange.ts'

/** A log whose families are known: exchanges that must not be on both sides of a split. */
export interface AdversarialLog {
  readonly exchanges: readonly StoredExchange[]
  /** Name of the family, by id of the exchange. */
  readonly familyOf: ReadonlyMap<string, string>
}

type Kind = 'retrieval' | 'changed' | 'rephrased' | 'replay' | 'edited' | 'plain'

const kinds: readonly Kind[] = ['retrieval', 'changed', 'rephrased', 'replay', 'edited', 'plain', 'plain']

/** Some hundred exchanges of conversations that a split tends to tear apart, none of which has a trace. */
export function adversarialLog(random: () => number, families = 160): AdversarialLog {
  const exchanges: StoredExchange[] = []
  const familyOf = new Map<string, string>()
  const draw = drawer(random)
  for (let family = 0; family < families; family++) {
    for (const [messages, answer] of talksOf(kinds[family % kinds.length] ?? 'plain', draw)) {
      const exchange = exchangeOf(exchanges.length, { messages, response: assistant(answer) })
      exchanges.push(exchange)
      familyOf.set(exchange.id, `family ${family}`)
    }
  }
  return { exchanges, familyOf }
}

type Talk = readonly [messages: readonly Message[], answer: string]
type Draw = ReturnType<typeof drawer>

const talksByKind: Readonly<Record<Kind, (draw: Draw) => readonly Talk[]>> = {
  /** Other passages in the instructions at each turn. */
  retrieval: (draw) => turns(draw, () => `Answer from these passages only.\n${draw.sentences(4)}`),
  changed: (draw) => turns(draw, (turn) => (turn === 0 ? 'You help customers.' : `You are ${draw.words(6)}.`)),
  /** One question in several words, answered in other words. */
  rephrased(draw) {
    const question = draw.question()
    return Array.from({ length: 6 }, (_, n) => [[user(draw.rephrase(question, n))], draw.sentences(2)] as const)
  },
  replay(draw) {
    const messages = [system('You help customers.'), user(draw.question())]
    return Array.from({ length: 3 }, () => [messages, draw.sentences(1)] as const)
  },
  /** The application shortens an answer before it sends it back. */
  edited(draw) {
    const [first, later] = [user(draw.question()), user(draw.question())]
    const answer = draw.sentences(2)
    return [
      [[first], answer],
      [[first, assistant(answer.slice(0, 40)), later], draw.sentences(1)],
    ]
  },
  plain: (draw) => [[[system('You help customers.'), user(draw.question())], draw.sentences(1)]],
}

function talksOf(kind: Kind, draw: Draw): readonly Talk[] {
  return talksByKind[kind](draw)
}

/** A conversation of three turns. */
function turns(draw: Draw, instructions: (turn: number) => string): readonly Talk[] {
  const said: Message[] = []
  return Array.from({ length: 3 }, (_, turn) => {
    said.push(user(draw.question()))
    const messages = [system(instructions(turn)), ...said]
    const answer = draw.sentences(2)
    said.push(assistant(answer))
    return [messages, answer] as const
  })
}

const vocabulary =
  `account address advice agent alarm amount answer apartment appointment archive arrival article balance
  battery bicycle booking branch bridge budget cable calendar camera cancel captain carpet change charge chicken client
  coffee collect comment contract copper county course coupon cousin create credit curtain customer damage deliver deposit
  desert device dinner discount doctor engine evening exchange expense export factory festival figure filter forest forward
  furniture garden garlic glacier guarantee guitar handle harbour hearing height history holiday hospital import income
  insurance interest invoice island jacket journey kitchen ladder language laptop leather lemon letter library licence
  lighting machine market meadow measure medicine member memory message method mirror modem money motor mountain museum
  music needle network notice number office onion orange orchard oven owner packet painting parcel passport password
  payment pension pepper phone piano picture pillow planet plastic policy pottery printer profile project pump question
  railway receipt recipe refund repair report return river router salary sample saucer season second senate sensor service
  shipment shoulder signal silver sister soldier station stomach storage student summer supplier surface sweater switch
  system tablet tailor tariff teacher temple ticket tomato tractor traffic transfer tunnel umbrella update vacuum valley
  vehicle village violin voucher wallet warranty washer weather website window winter worker`.split(/\s+/)
const names = 'Maria Oluwaseun Tom Ingrid Yuki Bartholomew Chloe Raj'.split(' ')

function drawer(random: () => number) {
  const int = (below: number) => Math.floor(random() * below)
  const words = (count: number) =>
    Array.from({ length: count }, () => vocabulary[int(vocabulary.length)] ?? '').join(' ')
  const sentence = () => `The ${words(5 + int(8))}.`
  const question = () => `How can ${words(3 + int(4))} ${int(2) === 0 ? 'with' : 'before'} the ${words(2 + int(5))}?`
  return {
    words,
    question,
    sentences: (count: number) => Array.from({ length: count }, sentence).join(' '),
    rephrase(asked: string, variant: number): string {
      const at = 4 + int(asked.length - 8)
      const name = names[int(names.length)] ?? ''
      return [
        asked,
        `Please: ${asked}`,
        `${asked} Thanks!`,
        asked.slice(0, at) + asked.slice(at + 1),
        `I am ${name}. ${asked}`,
        `${asked} My order is ${10_000 + int(90_000)}.`,
      ][variant % 6] as string
    },
  }
}
