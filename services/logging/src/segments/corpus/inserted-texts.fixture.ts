import { dottedDate, one, person } from './recurring-values.fixture.ts'
import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const sentences =
  (text: string) =>
  (v: Values, low = 1, high = 6) =>
    v.many(low, high, () => v.pick(text.split('|')), ' ')

const english = sentences(
  'We waited forty minutes for the main course.|The waiter brought the wrong wine.|Dessert made up for it.|Parking behind the house costs nothing.|Nothing on the menu was vegan.|Children got crayons and a small toy.|Music played too loud near the bar.|I would come back for the soup.|Reservations are possible online.|Does the kitchen close at ten?',
)
const german = sentences(
  'Der Drucker zieht kein Papier ein.|Seit dem Update startet das Programm nicht mehr.|Die Rechnung kam doppelt.|Unser Ansprechpartner ist im Urlaub.|Am Telefon meldet sich niemand.|Wir brauchen bis Freitag eine Lösung.|Das Passwort wurde bereits geändert.|Im Keller steht Wasser.|Zwei Mitarbeiter können sich nicht anmelden.',
)
const french = sentences(
  "Le colis est arrivé ouvert.|La facture indique un autre montant.|J'ai déjà appelé deux fois.|Le magasin ferme à dix-neuf heures.|Notre contrat se termine en juin.|Personne ne répond au courriel.|La chaudière fait du bruit.|Les clés sont chez le gardien.",
)
const spanish = sentences(
  'El pedido llegó incompleto.|La habitación no tenía agua caliente.|Nadie contesta el teléfono.|El vuelo salió con tres horas de retraso.|La tienda cierra los domingos.|Mi tarjeta fue rechazada.|El técnico viene mañana.|Falta una pieza en la caja.',
)
const polish = sentences(
  'Paczka dotarła uszkodzona.|Faktura jest nieprawidłowa.|Aplikacja nie działa od wczoraj.|Kurier nie zadzwonił.|Umowa kończy się w czerwcu.|Sklep był zamknięty.|Nikt nie odbiera telefonu.|Rata została pobrana dwa razy.',
)
const italian = sentences(
  'La consegna è arrivata in ritardo.|Il prodotto era rotto.|Nessuno risponde al telefono.|La fattura non è corretta.|Il contratto scade a giugno.|Le chiavi sono dal portiere.|Mi hanno addebitato due volte.|Il negozio chiude alle otto.',
)
const japanese = (v: Values) =>
  v.many(
    1,
    4,
    () =>
      v.pick(
        '料理が冷めていました。|駅から近くて便利です。|部屋が狭かったです。|朝食はとても良かったです。|予約が入っていませんでした。|また泊まりたいと思います。|店員が親切でした。'.split(
          '|',
        ),
      ),
    '',
  )

/** Texts in the language of the instructions, before, after and between them, without a heading that names them. */
export const INSERTED_TEXTS: readonly PromptFamily[] = [
  (v) =>
    `Rate the restaurant from one to five stars. Justify the rating in one sentence and name the biggest problem.\n\n${english(v)}`,
  (v) => `${english(v)}\n\nRewrite the text as a polite complaint. Keep every fact and invent nothing.`,
  (v) =>
    `You sort feedback for a restaurant chain. Return the topic and the mood as JSON.\n---\n${english(v)}\n---\nUse only the topics food, service, price and place.`,
  (v) =>
    `Ordne die Anfrage einer Abteilung zu: Technik, Buchhaltung oder Vertrieb. Begründe die Wahl in einem Satz.\n\n${german(v)}`,
  (v) =>
    `Anfrage vom ${dottedDate(v)}\n${german(v)}\n\nSchreibe dem Kunden eine Antwort mit drei Schritten. Bleibe höflich und nenne keinen Termin.`,
  (v) => `Du bist ein Lektor. Kürze den Text auf die Hälfte und behalte alle Zahlen bei.\n${german(v, 2, 7)}`,
  (v) => `Réponds au client ci-dessous. Présente des excuses et propose une seule solution.\n\n${french(v)}`,
  (v) => `${french(v)}\n\nRésume la demande en une phrase et indique le service concerné. N'invente aucun détail.`,
  (v) =>
    `Eres un agente de reclamaciones. Lee la queja y decide si procede una compensación. Responde con sí o no.\n\n${spanish(v)}`,
  (v) =>
    `Oceń pilność zgłoszenia w skali od 1 do 5. Uzasadnij ocenę jednym zdaniem i zaproponuj następny krok.\n\n${polish(v)}`,
  (v) => `Scrivi una risposta al cliente. Usa un tono cordiale e non promettere rimborsi.\n\n${italian(v)}`,
  (v) => `次の口コミを要約してください。良い点と悪い点を一つずつ挙げてください。\n\n${japanese(v)}`,
  (v) =>
    `You are a travel agent and you answer ${person(v)}. Be brief and friendly. Their last message was this. ${english(v)} Close with an offer to call back.`,
  (v) =>
    `Compare the two opinions and say which one is stricter. Quote one phrase from each.\nFirst: ${english(v)}\nSecond: ${english(v)}`,
  (v) =>
    `Background on the guest: ${english(v)}\nYou write the welcome note. Mention one detail, keep it under sixty words and sign as the ${one(v, 'manager,chef,owner')}.`,
]
