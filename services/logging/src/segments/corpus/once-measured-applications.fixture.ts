import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const of = (list: string, separator = '/') => {
  const items = list.split(separator)
  return (v: Values) => v.pick(items)
}
const name = of(
  'Agnes Thorne/Bastian Wolf/Carmen Ruiz/Desmond Clark/Eun-ji Park/Fiona Byrne/Goran Ilić/Hilde Moen/Idris Bello/Julie Marchand',
)
const firm = of(
  'Copperfield/Lighthouse Bank/Velo Nord/Green Pantry/Kranich Druck/Saffron Air/Tandem Care/Granite Tools/Miller Sons/Dolphin Spa',
)
const town = of('Antwerp/Kraków/Dundee/Verona/Umeå/Cádiz/Boulder/Nîmes/Brno/Cairns')
const talk = of(
  'The hinge squeaks./I was promised a window seat./Your form lost my answers./The soup was cold./Someone took my parcel./The code never arrived./The nurse was gentle./We cannot open the gate.',
)
const fact = of(
  'The ferry sails twice a day./Lessons last forty minutes./The vault opens at nine./Deposits are paid back in May./Visitors sign at the desk./The north wing is closed./A pass costs six euros./Bins are emptied on Mondays.',
)
const talks = (v: Values, low = 1, high = 5) => v.many(low, high, () => talk(v), ' ')
const facts = (v: Values, low = 1, high = 6) => v.many(low, high, () => fact(v), ' ')
const lines = (v: Values, low: number, high: number, make: () => string) => v.many(low, high, make, '\n')

/** Written like the reserved applications, before the last rules: at first 0.92 with 45 requests each, where it had been 0.74. */
export const ONCE_MEASURED_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `You run the waiting list of ${firm(v)}.\n- Greet the caller.\n- Ask for the date of birth.\n- Offer the next free day.\n- Never move ${name(v)} down the list.`,
  (v) =>
    `Style of our blog:\n1. Short titles.\n2. No exclamation marks.\n3. One picture per ${v.int(200, 400)} words.\nApply the style to the draft and list what you changed.\n\nDraft:\n${facts(v, 3, 8)}`,
  (v) =>
    `Protokoll führen für ${firm(v)}:\n- Notiere Beschlüsse.\n- Nenne die Verantwortlichen.\n- Lass Nebensächliches weg.\n- Schicke den Text an ${name(v)}.`,
  (v) =>
    `Recommend a hike near ${town(v)} for ${of('families/seniors/runners/dog owners/photographers/cyclists')(v)}. Give length, climb and a place to eat.`,
  (v) =>
    `Write a cover letter for a job as ${of('a baker/a surveyor/a librarian/a plumber/an optician/a translator')(v)} at ${firm(v)}. Three paragraphs, confident, no buzzwords.`,
  (v) =>
    `Explain to ${name(v)} how to care for ${of('a cactus/a hamster/a cast iron pan/leather boots/a violin')(v)}. Five steps and one warning.`,
  (v) =>
    `Find three studies on ${of('sleep/caffeine/noise/sunlight/laughter/posture')(v)} and memory. Summarize each in two sentences and name its weakness.`,
  (v) =>
    `Rédige un discours pour ${of('un mariage/un départ/une inauguration/un anniversaire/une remise de prix')(v)}. Deux minutes, ton léger, sans citation.`,
  (v) =>
    `${of('佐々木/石井/小川/岡本/中川/森田')(v)}さん宛ての案内状を作成してください。会場は${v.int(1, 9)}階です。持ち物を箇条書きにしてください。`,
  (v) =>
    `次の議事録を読み、決定事項だけを三行で書いてください。\n\n議事録:\n${v.many(2, 6, () => of('予算が承認されました。/会場は未定です。/山田さんが休みです。/次回は金曜日です。/資料が遅れています。')(v), '')}`,
  (v) =>
    `你是${of('顺风/万家/安居/乐活/佳美')(v)}家政公司的调度员。客户${of('丁一/吕洋/苏芮/袁飞/蒋琴/贺军')(v)}想预约保洁。请确认时间,并提醒注意事项。`,
  (v) => `用三句话介绍${of('故宫/长城/西湖/黄山/敦煌/桂林')(v)}的历史,适合小学生阅读,不要使用成语。`,
  (v) =>
    `Ты секретарь директора. Посетителя зовут ${of('Леонид Маслов/Вера Гусева/Артём Белов/Софья Котова/Денис Лапин')(v)}. Узнай цель визита и предложи время.`,
  (v) =>
    `Объясни разницу между ${of('вирусом и бактерией/кометой и астероидом/сталью и чугуном/климатом и погодой')(v)} простыми словами. Приведи пример из жизни.`,
  (v) => `أنت كاتب في مجلة سفر. اكتب فقرة عن ${of('البتراء/الأقصر/قرطبة/سمرقند/زنجبار')(v)} في خمسين كلمة دون مبالغة.`,
  (v) =>
    `고객 ${of('남궁민/표예진/도경완/라미란/진선규')(v)}님께 보낼 안내 문자를 쓰세요. 두 문장으로 쓰고 날짜를 넣으세요.`,
  (v) =>
    `Read the log lines and name the first failing job.\n\n\`\`\`\n${lines(v, 3, 9, () => `${v.int(10, 23)}:${v.int(10, 59)} ${of('build/lint/pack/ship')(v)} ${of('ok/failed/skipped')(v)}`)}\n\`\`\`\nReply with its name and a likely cause.`,
  (v) =>
    `From: ${v.email()}\nTo: ${v.email()}\nSubject: ${of('Parking/Broken link/Offer/Holiday')(v)}\n\n${talks(v)}\n\nDecide whether a person must answer. Reply yes or no and give one reason.`,
  (v) =>
    `Turn this booking into one line for the driver.\n${JSON.stringify({ guest: name(v), from: town(v), to: town(v), seats: v.int(1, 6), flight: `XY${v.int(100, 999)}` })}`,
  (v) =>
    `Budget of ${name(v)}: rent ${v.int(300, 1500)}, food ${v.int(100, 600)}, travel ${v.int(10, 300)}. Suggest two savings, keep the rent and be kind.`,
  (v) =>
    `Write a migration for the change below and its rollback. Use PostgreSQL and explain locks.\n\nChange: add ${of('email/locale/score/parent_id')(v)} to ${of('users/orders/files/teams')(v)}`,
  (v) => `Be brief. Speak to ${name(v)}.`,
  (v) =>
    `${facts(v, 2, 6)}\n\nWrite a notice for the lobby from the facts above. Use large words and no abbreviations.`,
  (v) =>
    `You are the concierge line of ${firm(v)}. ${'Solve what you can in one call. Repeat the request before you act. If a guest is ill, call the doctor first. Book tables only after asking about allergies. Never promise upgrades. When a taxi is late, offer tea. Write down every complaint. Close with the time of the next step.'} Duty manager: ${name(v)}.`,
  (v) =>
    `Help the garage of ${firm(v)}. Prices include tax. Never guess a part number.\nEstimate the repair.\nCustomer: ${name(v)}`,
  (v) =>
    `Help the garage of ${firm(v)}. Prices include tax. Never guess a part number.\nRemind of the next inspection.\nCustomer: ${name(v)}`,
  (v) =>
    `Help the garage of ${firm(v)}. Prices include tax. Never guess a part number.\nExplain the bill line by line.\nCustomer: ${name(v)}`,
  (v) =>
    `Judge whether the answer follows from the passage. Say yes, no or unclear.\n\nPassage: ${facts(v, 2, 6)}\n\nAnswer: ${fact(v)}`,
  (v) => `Judge whether the answer is polite. Say yes, no or unclear.\n\nAnswer: ${talk(v)}`,
  (v) =>
    `Sort the tasks by urgency for ${name(v)}.\n${lines(v, 3, 7, () => `* ${of('call/mail/visit/pay/clean')(v)} ${of('bank/aunt/office/garden')(v)}`)}\nExplain the first choice in a sentence.`,
]
