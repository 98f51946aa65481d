"""Verbs that open instructions."""

from __future__ import annotations

VERBS = frozenset(
    """
    accept act adapt add address adjust adopt advise align allocate always amend analyse analyze annotate
    announce answer append apply approximate argue arrange ask assess assign assist assume attach attempt
    avoid balance base begin book brainstorm break bring build buy calculate call cancel capture carry
    categorise categorize change check choose cite clarify classify clean clone close code collect combine
    come comment communicate compare compile complete compose compute conclude condense conduct configure
    confirm connect consider construct contact continue contrast convert coordinate copy correct count
    cover craft create critique customise customize cut deal debug decide declare decode decompose deduce
    define delete deliver demonstrate depict deploy derive describe design detail detect determine develop
    devise diagnose differentiate direct disable discuss display disregard distinguish divide do document
    double download draft draw drop edit elaborate eliminate email enable encode end engage enhance ensure
    enter enumerate envision establish estimate evaluate examine exclude execute expand explain explore
    export express extend extract factor fetch file fill filter find finish fix flag focus follow forget
    format formulate forward frame gather generate get give go grade group guess guide handle have help
    hide highlight hold identify ignore illustrate imagine implement import improve include incorporate
    increase indicate infer inform initialise initialize insert inspect install instruct integrate
    interpret introduce invent investigate invite iterate join judge justify keep label launch lay learn
    leave let limit link list listen load locate lock log look make map mark match maximise maximize
    measure memorise memorize mention merge minimise minimize mix modify monitor move multiply name
    narrate navigate negotiate never note notify number obey observe obtain offer omit open operate
    optimise optimize order organise organize outline output pack paint paraphrase parse pause pay perform
    phrase pick picture place plan plot point port pose practise predict prepare present press pretend
    print prioritise prioritize proceed process produce proofread propose prove provide publish pull
    purchase push put quantify query quote raise rank rate react read rebuild recall recite recognise
    recognize recommend reconcile record recount redo reduce refactor refer reflect reformulate refrain
    refuse register relate release rely remember remind remove rename render reorder repair repeat
    rephrase replace reply report reproduce request research reserve reset resolve respond restart restate
    restore restrict resume retell retrieve return reuse reverse review revise reword rewrite roll round
    run save say scan schedule score script search see select sell send separate serve set settle share
    shift shorten show sign simplify simulate sketch skip slice solve sort speak specify spell split spot
    start state stop store strip structure study submit substitute subtract suggest sum summarise
    summarize supplement supply support suppose survey swap switch synthesise synthesize tackle tag tailor
    take tally teach tell test think trace track transcribe transfer transform translate treat trim try
    turn type uncover underline undo unlock update upgrade upload use validate vary verify view visit vote
    wait walk warn watch weigh work wrap write
    """.split()
)
