%% A ring of processes that pass tokens on and count them, as the relays of ../machines.mjs do.
-module(ring).
-export([run/3, relay/3]).

%% Nanoseconds from the first token's first hop to the last one's last, and the hops that the relays have counted.
run(Relays, Tokens, Hops) ->
    First = spawn_link(?MODULE, relay, [self(), none, 0]),
    Ring = chain(Relays - 1, [First]),
    First ! {link, hd(Ring)},
    Places = list_to_tuple(lists:reverse(Ring)),
    Start = erlang:monotonic_time(nanosecond),
    [element(Token * Relays div Tokens + 1, Places) ! {hop, Hops} || Token <- lists:seq(0, Tokens - 1)],
    [receive over -> ok end || _ <- lists:seq(1, Tokens)],
    Ns = erlang:monotonic_time(nanosecond) - Start,
    {Ns, lists:sum([count(Relay) || Relay <- Ring])}.

chain(0, Ring) -> Ring;
chain(Left, [Last | _] = Ring) -> chain(Left - 1, [spawn_link(?MODULE, relay, [self(), Last, 0]) | Ring]).

relay(Driver, Next, Count) ->
    receive
        {hop, 1} -> Driver ! over, relay(Driver, Next, Count + 1);
        {hop, Left} -> Next ! {hop, Left - 1}, relay(Driver, Next, Count + 1);
        {link, Other} -> relay(Driver, Other, Count);
        'end' -> Driver ! {count, self(), Count}
    end.

%% What it has counted; then it is gone. The driver traps exits, so what they say is taken out.
count(Relay) ->
    Relay ! 'end',
    Count = receive {count, Relay, Counted} -> Counted end,
    receive {'EXIT', Relay, _} -> Count end.
