%% The contender of the supervision rows: OTP's own supervisor over gen_servers, in memory. Started by ../otp.mjs, which
%% writes one command a line and reads one line for each, a JSON object. The ring of the row of hops is in ring.erl.
%%
%% A restart is counted as on Bosun's side: from before the crash is ordered until the child's init has returned and the
%% supervisor has it in its table, which its answer to a call behind all exits proves.
-module(restarts).
-behaviour(supervisor).
-export([main/0, init/1, start_child/2, start_boss/3]).

%% The window of an OTP supervisor is a list that every restart walks. A new supervisor after so many restarts keeps it
%% short where rounds follow rounds: what is measured is the restart, not the list.
-define(RESTARTS_PER_SUPERVISOR, 1000).

main() ->
    logger:set_primary_config(level, none),
    process_flag(trap_exit, true),
    loop().

loop() ->
    case io:get_line("") of
        eof -> halt(0);
        Line ->
            [Command | Numbers] = string:lexemes(Line, " \n"),
            answer(Command, [list_to_integer(Number) || Number <- Numbers]),
            loop()
    end.

%% Supervisors at once, each with so many children, of which so many are killed at once, in rounds.
answer("storm", [Bosses, Children, Killed, Rounds]) ->
    Ns = longest(Bosses, fun() -> lists:sum(times(one_for_one, Children, Killed, Rounds)) end),
    io:format("{\"perSecond\":~w}~n", [Bosses * Killed * Rounds * 1.0e9 / Ns]);
%% A ring of processes, tokens in it at once, hops of each.
answer("ring", [Relays, Tokens, Hops]) ->
    {Ns, Counted} = ring:run(Relays, Tokens, Hops),
    io:format("{\"perSecond\":~w,\"hops\":~w}~n", [Tokens * Hops * 1.0e9 / Ns, Counted]);
%% One child at a time.
answer("latency", [Children, Times]) ->
    Ns = lists:sort(times(one_for_one, Children, 1, Times)),
    io:format("{\"p50Ms\":~w,\"p99Ms\":~w}~n", [percentile(Ns, 0.5) / 1.0e6, percentile(Ns, 0.99) / 1.0e6]);
%% All the children of a simple_one_for_one supervisor, once.
answer("avalanche", [Children]) ->
    [Ns] = times(simple_one_for_one, Children, Children, 1),
    io:format("{\"ms\":~w}~n", [Ns / 1.0e6]);
%% A tree of supervisors, each with so many supervisors below it or, at the last level, so many workers.
answer("tree", [Levels, Fanout, Workers]) ->
    erlang:garbage_collect(),
    Before = erlang:memory(total),
    Start = erlang:monotonic_time(nanosecond),
    {ok, Sup} = supervisor:start_link(?MODULE, {tree, self(), Levels, Fanout, Workers}),
    Started = erlang:monotonic_time(nanosecond),
    Held = erlang:memory(total) - Before,
    stop(Sup),
    Stopped = erlang:monotonic_time(nanosecond),
    flush(),
    io:format("{\"startMs\":~w,\"shutdownMs\":~w,\"heldMb\":~w}~n", [(Started - Start) / 1.0e6, (Stopped - Started) / 1.0e6, Held / 1.0e6]).

percentile(Sorted, Fraction) ->
    lists:nth(max(1, ceil(length(Sorted) * Fraction)), Sorted).

%% Of processes at once, each of which takes its own time: starting supervisors between the rounds is not counted.
longest(1, Run) -> Run();
longest(Processes, Run) ->
    Driver = self(),
    Pids = [spawn_link(fun() -> process_flag(trap_exit, true), Driver ! {over, self(), Run()} end) || _ <- lists:seq(1, Processes)],
    Ns = lists:max([receive {over, Pid, One} -> One end || Pid <- Pids]),
    flush(),
    Ns.

flush() ->
    receive _ -> flush() after 0 -> ok end.

%% Nanoseconds of each round.
times(_, _, _, 0) -> [];
times(Strategy, Children, Killed, Rounds) ->
    Now = min(Rounds, max(1, ?RESTARTS_PER_SUPERVISOR div Killed)),
    {ok, Sup} = supervisor:start_link(?MODULE, {Strategy, self(), Children}),
    _ = Strategy =:= simple_one_for_one andalso [{ok, _} = supervisor:start_child(Sup, [Id]) || Id <- lists:seq(0, Children - 1)],
    Times = rounds(Now, Sup, ready(Children, #{}), Killed),
    stop(Sup),
    Times ++ times(Strategy, Children, Killed, Rounds - Now).

stop(Sup) ->
    unlink(Sup),
    exit(Sup, shutdown),
    Ref = monitor(process, Sup),
    receive {'DOWN', Ref, process, Sup, _} -> ok end.

rounds(0, _, _, _) -> [];
rounds(Left, Sup, Pids, Killed) ->
    From = (Left * Killed) rem maps:size(Pids),
    Victims = [maps:get((From + N) rem maps:size(Pids), Pids) || N <- lists:seq(1, Killed)],
    Start = erlang:monotonic_time(nanosecond),
    lists:foreach(fun(Pid) -> Pid ! crash end, Victims),
    Risen = ready(Killed, Pids),
    _ = supervisor:get_childspec(Sup, 0),
    Ns = erlang:monotonic_time(nanosecond) - Start,
    [Ns | rounds(Left - 1, Sup, Risen, Killed)].

ready(0, Pids) -> Pids;
ready(Left, Pids) ->
    receive {ready, Id, Pid} -> ready(Left - 1, Pids#{Id => Pid}) end.

start_child(Driver, Id) ->
    gen_server:start_link(brittle, {Driver, Id}, []).

start_boss(_, Levels, {Driver, Fanout, Workers}) ->
    supervisor:start_link(?MODULE, {tree, Driver, Levels, Fanout, Workers}).

init({one_for_one, Driver, Children}) ->
    {ok, {flags(one_for_one), [worker(Driver, Id) || Id <- lists:seq(0, Children - 1)]}};
init({simple_one_for_one, Driver, _}) ->
    {ok, {flags(simple_one_for_one), [#{id => child, start => {?MODULE, start_child, [Driver]}}]}};
init({tree, Driver, 1, _, Workers}) ->
    {ok, {flags(one_for_one), [worker(Driver, Id) || Id <- lists:seq(1, Workers)]}};
init({tree, Driver, Levels, Fanout, Workers}) ->
    Start = fun(Id) -> {?MODULE, start_boss, [Id, Levels - 1, {Driver, Fanout, Workers}]} end,
    {ok, {flags(one_for_one), [#{id => Id, type => supervisor, start => Start(Id)} || Id <- lists:seq(1, Fanout)]}}.

flags(Strategy) -> #{strategy => Strategy, intensity => 1000000, period => 1}.

worker(Driver, Id) -> #{id => Id, start => {?MODULE, start_child, [Driver, Id]}}.
