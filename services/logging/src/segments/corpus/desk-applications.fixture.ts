import type { PromptFamily } from './support-and-rag.fixture.ts'
import type { Values } from './values.fixture.ts'

const from = (list: string) => {
  const items = list.split('|')
  return (v: Values) => v.pick(items)
}
const host = from('web-1|web-2|db-main|cache-eu|queue-7|edge-3|batch-9|auth-2|search-1|mail-4')
const person = from(
  'Ivo Marek|Shira Gold|Tunde Bello|Anna Wirth|Luis Soto|Keiko Abe|Rhys Evans|Farah Noor|Greta Olsen|Milan Savic|Dora Papp',
)
const error = from(
  'connection reset by peer|out of memory|disk is 98 percent full|certificate expires tomorrow|query took 41 seconds|replica is behind|login failed five times|port 443 does not answer|backup was skipped|deadlock found|dns lookup failed',
)
const mail = from(
  'The report is attached.|I could not open the link.|Can we move the meeting to Thursday?|The laptop is slow since the update.|Please add Farah to the list.|My badge does not work at the back door.|The projector in room 4 is broken.|Who approves travel above the limit?|The invoice was paid twice.|Thanks for the quick help.',
)
const mails = (v: Values, low: number, high: number, glue = ' ') => v.many(low, high, () => mail(v), glue)

/** What the desk of a company's technicians sends. Measured when the rules were mended by five other sets. */
export const DESK_APPLICATIONS: readonly PromptFamily[] = [
  (v) =>
    `From: ${person(v)} <${v.email()}>\nTo: helpdesk@example.com\nDate: ${v.date()}\nSubject: ${mail(v)}\n\n${mails(v, 1, 5)}\n\n---\nWrite the first reply of the help desk. Ask for what is missing. Sign with "Your help desk" and no name.`,
  (v) =>
    `From: ${person(v)} <${v.email()}>\nTo: helpdesk@example.com\nDate: ${v.date()}\nSubject: ${mail(v)}\n\n${mails(v, 1, 5)}\n\n---\nSet the fields of the ticket: category, priority and device. JSON, and null where the mail does not say it.`,
  (v) =>
    `${v.many(4, 12, () => `${v.int(2024, 2027)}-0${v.int(1, 9)}-${v.int(10, 28)}T${v.int(10, 23)}:${v.int(10, 59)}:00Z ${v.pick(['INFO', 'WARN', 'ERROR'])} ${host(v)} ${error(v)}`, '\n')}\n\nFind the first cause in the log above. Give the time, the host and one command that would confirm it.`,
  (v) =>
    `${v.many(4, 12, () => `${v.int(2024, 2027)}-0${v.int(1, 9)}-${v.int(10, 28)}T${v.int(10, 23)}:${v.int(10, 59)}:00Z ${v.pick(['INFO', 'WARN', 'ERROR'])} ${host(v)} ${error(v)}`, '\n')}\n\nDecide whether somebody must be woken up because of the log above. Answer page or wait, and say for whom.`,
  (v) =>
    `Traceback (most recent call last):\n${v.many(1, 5, () => `  File "/app/${v.noun()}.py", line ${v.int(1, 900)}, in ${v.noun()}`, '\n')}\n${v.pick(['ValueError', 'KeyError', 'TimeoutError', 'TypeError'])}: ${error(v)}\n\nYou are a patient senior engineer. Explain the error to a beginner, then show the likely fix in at most ten lines.`,
  (v) =>
    `User: ${mail(v)}\nAssistant: ${mail(v)}\n${v.many(1, 4, () => `User: ${mail(v)}\nAssistant: ${mail(v)}\n`, '')}\nRate the assistant above. Was it polite, was it right, did it end the matter? Three lines with yes or no.`,
  (v) =>
    `User: ${mail(v)}\nAssistant: ${mail(v)}\n${v.many(1, 4, () => `User: ${mail(v)}\nAssistant: ${mail(v)}\n`, '')}\nPropose a title for the conversation above. Five words at most, in lower case, without a full stop.`,
  (v) =>
    `name,host,cpu,memory\n${v.many(3, 10, () => `${v.noun()},${host(v)},${v.int(1, 99)},${v.int(1, 64)}`, '\n')}\n\nQuestion from ${person(v)}: see the next message. Answer it from the CSV, compute with care, and show the rows that you used.`,
  (v) =>
    `You are Root, the assistant for administrators at ${v.firm()}.\n\nThe user is ${person(v)}, who has access to:\n${v.many(2, 6, () => `- ${host(v)} (${v.pick(['read', 'write', 'none'])})`, '\n')}\n\nNever suggest a command that needs more access than that. Warn before anything that cannot be undone. Prefer commands that only read.`,
  (v) =>
    `You are Root, the assistant for new employees at ${v.firm()}.\n\nThe user is ${person(v)}, who starts on ${v.date()}.\n\nChecklist:\n${v.many(2, 6, () => `- [${v.pick(['x', ' '])}] ${v.pick(['laptop', 'badge', 'payroll', 'mail', 'training'])}`, '\n')}\n\nGo through the open items one by one. Explain who helps with each. Celebrate when the list is done.`,
  (v) =>
    `SCHEMA\n${v.many(2, 5, () => `${v.noun()}s(${v.many(2, 4, () => v.pick(['id', 'name', 'owner', 'opened_at', 'state', 'host']), ', ')})`, '\n')}\n\nDIALECT\n${v.pick(['Postgres', 'MySQL', 'SQLite', 'DuckDB', 'Oracle'])}\n\nTASK\nWrite one query for the request of the user. No comments, no explanation. Limit the result to ${v.int(10, 500)} rows.`,
  (v) =>
    `Knowledge base\n==============\n${v.many(2, 6, (index) => `KB-${v.int(100, 999)} (${index + 1}/${v.int(6, 9)}): ${mails(v, 1, 3)}`, '\n')}\n\nAnswer the employee with the articles above. Name the article. If none helps, open a ticket by writing TICKET in the first line.`,
  (v) =>
    `Knowledge base\n==============\n${v.many(2, 6, (index) => `KB-${v.int(100, 999)} (${index + 1}/${v.int(6, 9)}): ${mails(v, 1, 3)}`, '\n')}\n\nWhich articles contradict each other or are out of date? One line per problem with the numbers. Write "clean" if there is none.`,
  (v) =>
    `Translate the announcement into ${v.pick(['Hindi', 'Portuguese', 'Tagalog', 'Czech', 'Hebrew', 'Dutch'])} for the staff in ${v.city()}. Informal tone. Leave product names and times alone.\n\nAnnouncement:\n${mails(v, 1, 4)}`,
  (v) =>
    `Postmortem of incident ${v.int(10, 999)}\nLead: ${person(v)}\nServices: ${v.many(1, 4, () => host(v), ', ')}\nDuration: ${v.int(5, 600)} min\nNotes:\n${v.many(2, 7, () => `* ${error(v)}`, '\n')}\n\nWrite the postmortem without blame. Sections: impact, timeline, causes, actions. Each action has an owner and a date.`,
  (v) =>
    `Sen ${v.pick(['Anadolu Bilişim', 'Ege Teknik', 'Mavi Yazılım', 'Kuzey Ağ'])} şirketinin destek asistanısın. Çalışan: ${v.pick(['Ayşe Demir', 'Mehmet Kaya', 'Zeynep Aksoy', 'Can Yıldız', 'Elif Şahin'])}. Tarih: ${v.int(1, 28)} ${v.pick(['Ocak', 'Mart', 'Haziran', 'Ekim'])} 2026.\nSorunu adım adım çöz. Şifre isteme. Çözemezsen kayıt aç.`,
  (v) =>
    `Olet ${v.pick(['Pohjola Oy', 'Saimaa IT', 'Kaleva Data', 'Revontuli'])} -yhtiön tukihenkilö. Käyttäjä: ${v.pick(['Aino Laine', 'Eero Koski', 'Sanna Mäki', 'Ville Niemi'])}, laite: ${v.pick(['kannettava', 'puhelin', 'tulostin', 'näyttö'])}.\nAnna ohjeet numeroituna listana. Älä pyydä salasanaa. Kysy lopuksi, auttoiko ohje.`,
  (v) =>
    `أنت مساعد الدعم الفني في شركة ${v.pick(['النور', 'الأفق', 'الرواد', 'المستقبل', 'الواحة'])}. الموظف: ${v.pick(['أحمد', 'ليلى', 'سامي', 'هدى', 'كريم'])}، القسم: ${v.pick(['المبيعات', 'المالية', 'المخازن', 'التسويق'])}.\nاشرح الحل في ثلاث خطوات. لا تطلب كلمة المرور. اسأل في النهاية إن كانت المشكلة قد حلت.`,
]
