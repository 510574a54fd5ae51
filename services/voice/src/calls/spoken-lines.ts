import { baseLanguage } from '@ratchet/contracts/voice/languages'
import type { CallLines } from '../engine/call-settings.ts'

/** What agents say although no model wrote it. */
export interface SpokenLines extends CallLines {
  /** When another worker has taken over the call. */
  readonly resumed: string
  /** Shortly before the credits are used up. */
  readonly creditsLow: string
  /** That the voice is artificial. */
  readonly disclosure: string
}

const english: SpokenLines = {
  filler: 'One moment please.',
  apology: 'I am sorry, something went wrong. Please call again later.',
  resumed: 'Sorry, the line cut out.',
  creditsLow: 'I am sorry, I have to end this call in a few seconds.',
  disclosure: 'You are talking to an artificial voice.',
}

const byLanguage: Readonly<Record<string, SpokenLines>> = {
  en: english,
  de: {
    filler: 'Einen Moment bitte.',
    apology: 'Es tut mir leid, etwas ist schiefgegangen. Bitte rufen Sie später noch einmal an.',
    resumed: 'Entschuldigung, die Leitung war unterbrochen.',
    creditsLow: 'Es tut mir leid, ich muss dieses Gespräch in wenigen Sekunden beenden.',
    disclosure: 'Sie sprechen mit einer künstlichen Stimme.',
  },
  es: {
    filler: 'Un momento, por favor.',
    apology: 'Lo siento, algo ha fallado. Llame más tarde, por favor.',
    resumed: 'Perdone, se cortó la línea.',
    creditsLow: 'Lo siento, tengo que terminar esta llamada en unos segundos.',
    disclosure: 'Habla usted con una voz artificial.',
  },
  fr: {
    filler: 'Un instant, je vous prie.',
    apology: 'Je suis désolé, une erreur est survenue. Veuillez rappeler plus tard.',
    resumed: 'Pardon, la ligne a été coupée.',
    creditsLow: 'Je suis désolé, je dois terminer cet appel dans quelques secondes.',
    disclosure: 'Vous parlez à une voix artificielle.',
  },
}

/** @param language BCP 47; one without lines of its own has those of English */
export function spokenLines(language: string): SpokenLines {
  return byLanguage[baseLanguage(language)] ?? english
}
